import { oneOf, type OptionCheck } from './check-option.js';
import type { OnExpired } from './handler-options.js';

/**
 * Accepts what becomes of a task whose time is over.
 *
 * @internal
 */
export const checkOnExpired: OptionCheck<OnExpired> = oneOf(['dead-letter', 'drop']);

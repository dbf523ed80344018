import { InvalidOptionError } from '../task/config-errors.js';
import { resolveOptions } from './resolve-options.js';
import type { TaskStreamsOptions } from './task-streams-options.js';

/** The error of options that the compiler would refuse, as a user without types meets it. */
export function refusal(options: unknown): InvalidOptionError {
  try {
    resolveOptions(options as TaskStreamsOptions);
  } catch (error) {
    if (error instanceof InvalidOptionError) return error;
    throw error;
  }
  throw new Error('the options were accepted');
}

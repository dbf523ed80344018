import { InvalidOptionError } from '../task/config-errors.js';

/**
 * Who does something to a task or a queue by hand, and why.
 *
 * @publicApi
 */
export interface ActionOptions {
  /** Who does it: a user, a ticket, a program. Kept in the audit log. Default `unknown`. */
  readonly actor?: string;
  /** Why. Kept in the audit log, cut at 1000 characters. */
  readonly reason?: string;
}

/**
 * Returns who and why.
 *
 * @throws InvalidOptionError for what is no text.
 * @internal
 */
export function requireAction(
  action: string,
  options: ActionOptions,
): { readonly actor: string | undefined; readonly reason: string | undefined } {
  return {
    actor: requireText(`${action}.actor`, options.actor),
    reason: requireText(`${action}.reason`, options.reason),
  };
}

function requireText(path: string, value: unknown): string | undefined {
  if (value === undefined || typeof value === 'string') return value;
  throw new InvalidOptionError(path, value, 'give a text, or leave it out');
}

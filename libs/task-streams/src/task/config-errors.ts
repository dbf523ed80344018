import { hasCredentials, isSecretOption } from './secret-text.js';
import { ErrorName, TaskStreamsError } from './task-streams.error.js';

/**
 * An option has a value that cannot work. Thrown at boot. What may be a secret is not shown.
 *
 * @publicApi
 */
@ErrorName('InvalidOptionError')
export class InvalidOptionError extends TaskStreamsError {
  readonly code = 'TASK_STREAMS_INVALID_OPTION';
  /** Where it stands, such as `retry.attempts`. */
  readonly option: string;

  constructor(option: string, value: unknown, cure: string) {
    const path = hasCredentials(option) ? '…' : option;
    super(`Option ${path} is ${showOption(option, value)}: ${cure}`);
    this.option = path;
  }
}

/**
 * A queue name, task name, task id, header or key that cannot be used.
 *
 * @publicApi
 */
@ErrorName('InvalidNameError')
export class InvalidNameError extends TaskStreamsError {
  readonly code = 'TASK_STREAMS_INVALID_NAME';

  constructor(what: string, value: unknown, rule: string) {
    super(`${what} ${show(value)} cannot be used: ${rule}`);
  }
}

/**
 * Two handlers are declared for one task of one queue. Thrown at boot.
 *
 * @publicApi
 */
@ErrorName('DuplicateHandlerError')
export class DuplicateHandlerError extends TaskStreamsError {
  readonly code = 'TASK_STREAMS_DUPLICATE_HANDLER';

  constructor(taskName: string, queue: string, first: string, second: string) {
    super(
      `Task "${taskName}" of queue "${queue}" has two handlers: ${first} and ${second}. Keep one of them ` +
        '(a provider listed in two modules counts twice: export it from one).',
    );
  }
}

/**
 * The server cannot be used as it is: too old, evicting, or refusing a command. Thrown at boot.
 *
 * @publicApi
 */
@ErrorName('UnsuitableServerError')
export class UnsuitableServerError extends TaskStreamsError {
  readonly code = 'TASK_STREAMS_UNSUITABLE_SERVER';
}

/**
 * The module is used in a way that cannot work, such as starting workers in a producer.
 *
 * @publicApi
 */
@ErrorName('UsageError')
export class UsageError extends TaskStreamsError {
  readonly code = 'TASK_STREAMS_USAGE';
}

function showOption(option: string, value: unknown): string {
  const isPlain = typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint';
  if (isPlain && isSecretOption(option, value))
    return `a ${typeof value} that is not shown, because it may be a secret`;
  return show(value);
}

function show(value: unknown): string {
  if (typeof value === 'string') {
    if (hasCredentials(value)) return 'a string that is not shown, because it may hold a password';
    return JSON.stringify(value.length > 80 ? `${value.slice(0, 80)}…` : value);
  }
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return `${value}`;
  return value === null ? 'null' : Array.isArray(value) ? 'an array' : typeof value;
}

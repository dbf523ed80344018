/** The most characters kept of an error's message and of its stack. */
export const MAX_ERROR_MESSAGE = 1000;
export const MAX_ERROR_STACK = 2000;
/** The most frames of a stack, and the most characters of what stands above them, which is the message once more. */
const MAX_FRAMES = 10;
const MAX_STACK_HEAD = 200;

/**
 * What is kept of an error, cut to a bounded size.
 *
 * @publicApi
 */
export interface ErrorDescription {
  /** The class name, such as `TypeError`; `NonError` when something else than an error was thrown. */
  readonly name: string;
  readonly message: string;
  /** A machine-readable code (`ECONNREFUSED`), where the error has one. */
  readonly code?: string;
  /** The first ten frames, of at most 2000 characters; kept once, with the newest error of a task. */
  readonly stack?: string;
  /** Field errors of a validation, or what the handler added. */
  readonly details?: unknown;
}

/** Describes anything that can be thrown. Never throws, whatever the value does when it is looked at. */
export function describeError(error: unknown): ErrorDescription {
  try {
    return error instanceof Error
      ? describe(error)
      : { name: 'NonError', message: cut(showThrown(error), MAX_ERROR_MESSAGE) };
  } catch {
    return { name: 'NonError', message: 'something that cannot be shown was thrown' };
  }
}

function describe(error: Error): ErrorDescription {
  const code = (error as { code?: unknown }).code;
  return {
    name: cut(nameOf(error), 200),
    message: cut(String(error.message), MAX_ERROR_MESSAGE),
    ...(typeof code === 'string' || typeof code === 'number' ? { code: cut(`${code}`, 100) } : {}),
    ...(typeof error.stack === 'string' ? { stack: cutStack(error.stack) } : {}),
  };
}

/** Most classes do not set `name` and inherit the one of Error, which says nothing. */
function nameOf(error: Error): string {
  return error.name && error.name !== 'Error' ? error.name : error.constructor.name || 'Error';
}

function showThrown(value: unknown): string {
  if (typeof value === 'string') return value;
  const text = typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
  return text ?? Object.prototype.toString.call(value);
}

/** The same error where its stack is kept elsewhere. */
export function withoutStack({ stack: _stack, ...error }: ErrorDescription): ErrorDescription {
  return error;
}

function cutStack(stack: string): string {
  const frames = stack.search(/^\s+at /m);
  if (frames < 0) return cut(stack, MAX_ERROR_STACK);
  const head = cut(stack.slice(0, frames).trimEnd(), MAX_STACK_HEAD);
  const lines = stack.slice(frames, frames + 2 * MAX_ERROR_STACK).split('\n', MAX_FRAMES);
  return cut([head, ...lines].join('\n'), MAX_ERROR_STACK);
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}…`.toWellFormed() : text.toWellFormed();
}

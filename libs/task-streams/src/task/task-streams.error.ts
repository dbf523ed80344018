type ErrorClass = abstract new (...args: never[]) => Error;

const NAME = Symbol.for('nestjs-task-streams:error');

/**
 * The base of every error this library throws. The message says what happened, with which value, and what to do;
 * `code` is stable and meant for programs.
 *
 * @publicApi
 */
@ErrorName('TaskStreamsError')
export abstract class TaskStreamsError extends Error {
  static {
    // Another copy of the library may have made the error: as CommonJS, or below the node_modules of another package.
    Object.defineProperty(this, Symbol.hasInstance, { value: isInstance });
  }

  /** A stable identifier, such as `TASK_STREAMS_PAYLOAD_TOO_LARGE`. */
  abstract readonly code: string;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = ownName(new.target.prototype as object) ?? new.target.name;
  }
}

/**
 * Gives a class of this library the name that all copies of it know it by, also where a bundler has renamed the class.
 *
 * @internal
 */
export function ErrorName(name: string): (errorClass: ErrorClass) => void {
  return ({ prototype }) => void Object.defineProperty(prototype, NAME, { value: name });
}

/** What `error instanceof SomeError` asks. A class of the application that extends one of ours has no name here. */
function isInstance(this: { readonly prototype: object }, error: unknown): boolean {
  const wanted = ownName(this.prototype);
  for (let link: unknown = error; isObject(link); link = Object.getPrototypeOf(link)) {
    if (wanted === undefined ? link === this.prototype : ownName(link) === wanted) return true;
  }
  return false;
}

function ownName(prototype: object): string | undefined {
  return Object.getOwnPropertyDescriptor(prototype, NAME)?.value as string | undefined;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

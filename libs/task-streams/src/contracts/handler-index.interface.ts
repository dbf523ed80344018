/** Which tasks this process has handlers for, for whoever must not know how they are run. */
export interface HandlerIndex {
  /** Whether there is a handler at all, registered with the workers or not yet. */
  readonly hasHandlers: boolean;
  /** The queues of the handlers that are registered. */
  readonly queues: readonly string[];
}

/** The {@link HandlerIndex}. */
export const HANDLER_INDEX = Symbol.for('nestjs-task-streams:handler-index');

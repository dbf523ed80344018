/**
 * The base of every error this library throws. The message says what happened, with which value, and what to do;
 * `code` is stable and meant for programs.
 *
 * @publicApi
 */
export abstract class TaskStreamsError extends Error {
  /** A stable identifier, such as `TASK_STREAMS_PAYLOAD_TOO_LARGE`. */
  abstract readonly code: string;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

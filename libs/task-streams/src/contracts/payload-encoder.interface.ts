import type { TaskContract } from '../task/task-contract.js';

/** Makes the text of a payload that somebody mended, and refuses one that the worker would refuse. */
export interface PayloadEncoder {
  /**
   * @param contract What to check it against; where none is given, what this process knows of the task.
   * @throws PayloadNotSerializableError, PayloadTooLargeError, PayloadInvalidError.
   */
  encode(queue: string, taskName: string, payload: unknown, contract?: TaskContract): Promise<string>;
}

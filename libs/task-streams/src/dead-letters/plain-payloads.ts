import type { PayloadEncoder } from '../contracts/payload-encoder.interface.js';
import { PayloadNotSerializableError } from '../task/producer-errors.js';

/** For a program that knows no task, such as a command line: any JSON will do. The worker checks what it gets. */
export const plainPayloads: PayloadEncoder = {
  encode: async (_queue, taskName, payload) => {
    const json = JSON.stringify(payload) as string | undefined;
    if (json === undefined) throw new PayloadNotSerializableError(taskName, 'payload', 'there is nothing to write');
    return json;
  },
};

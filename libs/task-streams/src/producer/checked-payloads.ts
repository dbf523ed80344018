import type { PayloadEncoder } from '../contracts/payload-encoder.interface.js';
import type { TaskContract } from '../task/task-contract.js';
import { encodePayload, type PayloadLimits } from './encode-payload.js';
import type { TaskCatalog } from './task-catalog.js';
import { validatePayload } from './validate-payload.js';

/** Makes the text of a mended payload under the rules of one that is enqueued. */
export class CheckedPayloads implements PayloadEncoder {
  constructor(
    private readonly catalog: Pick<TaskCatalog, 'payloadOf'>,
    private readonly limits: PayloadLimits,
  ) {}

  async encode(queue: string, taskName: string, payload: unknown, contract?: TaskContract): Promise<string> {
    const body = encodePayload(taskName, payload, this.limits);
    const payloadClass = contract ? contract.payload : this.catalog.payloadOf(taskName, queue);
    if (payloadClass) await validatePayload(taskName, payloadClass, body);
    return body;
  }
}

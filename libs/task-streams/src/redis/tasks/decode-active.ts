import { decodeCancelMark } from '../../task/cancel-request.js';
import { readDeliveryCount } from '../../task/delivery-count.js';
import { splitToken } from '../../task/token.js';
import type { TaskRecord } from '../../task/task-record.js';

/** A running task is `waiting` in its record; its token says the rest: nonce, claim, lease, claimed at, deliveries. */
export function asActive(record: TaskRecord, token: string, mark: string | undefined): TaskRecord {
  const [, , , claimedAt, deliveries] = splitToken(token);
  return {
    ...record,
    state: 'active',
    token,
    startedAt: Number(claimedAt),
    deliveryCount: readDeliveryCount(Number(deliveries)).deliveryCount,
    cancel: mark === undefined ? undefined : decodeCancelMark(mark),
  };
}

import type { Delivery, KeyClaim } from '../contracts/broker.interface.js';
import { fieldOf } from '../task/entry-fields.js';

type RawDelivery = readonly [
  entryId: string,
  taskId: string,
  deliveries: number,
  enqueuedAt: string,
  claim: string,
  detail: string | number,
  fields: readonly string[],
  hash?: string,
];

/** Reads the reply of read.lua, claim.lua and reclaim.lua. */
export function decodeDeliveries(queue: string, token: string, reply: unknown): Delivery[] {
  const [now, rows] = reply as readonly [string, readonly RawDelivery[]];
  const claimedAt = Number(now);
  return rows.map(([entryId, taskId, deliveryCount, enqueuedAt, claim, detail, fields, hash]) => ({
    queue,
    entryId,
    fields,
    taskId,
    name: fieldOf(fields, 'task') ?? '',
    deliveryCount,
    token,
    payloadHash: hash === undefined || hash === '-' ? undefined : hash,
    enqueuedAt: Number(enqueuedAt) || claimedAt,
    claimedAt,
    keyClaim: decodeKeyClaim(claim, detail),
  }));
}

/** Reads the answer of `claim_lock`; `undefined` where there was no key to claim. */
export function decodeKeyClaim(claim: string, detail: string | number): KeyClaim | undefined {
  switch (claim) {
    case 'won':
    case 'conflict':
      return { kind: claim };
    case 'busy':
      return { kind: 'busy', retryInMs: Number(detail) };
    case 'replay':
      return { kind: 'replay', resultJson: detail === '' ? undefined : String(detail) };
    default:
      return undefined;
  }
}

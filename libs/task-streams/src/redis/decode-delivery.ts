import type { Delivery, KeyClaim } from '../contracts/broker.interface.js';

type RawDelivery = readonly [
  entryId: string,
  deliveries: number,
  claim: string,
  detail: string | number,
  record: string,
  fields: readonly string[],
];

/** Reads the deliveries of turn.lua, claim.lua and reclaim.lua. */
export function decodeDeliveries(queue: string, claim: string, now: string, rows: unknown): Delivery[] {
  const claimedAt = Number(now);
  return (rows as readonly RawDelivery[]).map(([entryId, deliveryCount, keyClaim, detail, record, fields]) => {
    const [, , , , failed, , hash, enqueuedAt] = record.slice(0, record.indexOf('\n')).split(' ');
    return {
      queue,
      entryId,
      fields,
      taskId: fieldAt(fields, 2, 'id'),
      name: fieldAt(fields, 4, 'task'),
      deliveryCount,
      token: `${claim}.${now}.${deliveryCount}`,
      payloadHash: hash === undefined || hash === '-' ? undefined : hash,
      failedAttempts: Number(failed) || 0,
      enqueuedAt: Number(enqueuedAt) || Number(entryId.split('-')[0]),
      claimedAt,
      keyClaim: keyClaim === '' ? undefined : decodeKeyClaim(keyClaim, detail),
    };
  });
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

/** By place where the entry has the usual order, else by search. */
function fieldAt(fields: readonly string[], place: number, name: string): string {
  const at = fields[place] === name ? place : fields.findIndex((field, i) => i % 2 === 0 && field === name);
  return fields[at + 1] && at >= 0 ? (fields[at + 1] as string) : '';
}

import type { Delivery, KeyClaim } from '../contracts/broker.interface.js';
import { fieldOf } from '../task/entry-fields.js';
import { splitHead } from '../task/entry-head.js';
import { readWaitingRecord } from '../task/task-record.js';

type RawDelivery = readonly [
  entryId: string,
  deliveries: number,
  claim: string,
  detail: string | number,
  record: string,
  head: string | readonly string[],
  body?: string,
  meta?: string,
];

/** Reads the deliveries of turn.lua, claim.lua and reclaim.lua. */
export function decodeDeliveries(queue: string, claim: string, now: string, rows: unknown): Delivery[] {
  const claimedAt = Number(now);
  return (rows as readonly RawDelivery[]).map(([entryId, deliveryCount, keyClaim, detail, record, ...entry]) => {
    const fields = fieldsOf(entry);
    const { id, name } = splitHead(fieldOf(fields, 'head') ?? '');
    const { failedAttempts, hash, enqueuedAt } = readWaitingRecord(record);
    return {
      queue,
      entryId,
      fields,
      taskId: id,
      name,
      deliveryCount,
      token: `${claim}.${now}.${deliveryCount}`,
      payloadHash: hash,
      failedAttempts,
      enqueuedAt: enqueuedAt ?? Number(entryId.split('-')[0]),
      claimedAt,
      keyClaim: keyClaim === '' ? undefined : decodeKeyClaim(keyClaim, detail),
    };
  });
}

/** The usual fields come without their names; of other entries all is told. */
function fieldsOf([head, body = '', meta]: readonly [string | readonly string[], string?, string?]): readonly string[] {
  if (typeof head !== 'string') return head;
  return meta ? ['head', head, 'body', body, 'meta', meta] : ['head', head, 'body', body];
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

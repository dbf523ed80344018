import type { Delivery, KeyClaim } from '../../contracts/work-store.interface.js';
import { readDeliveryCount } from '../../task/delivery-count.js';
import { fieldOf } from '../../task/entry-fields.js';
import { splitHead } from '../../task/entry-head.js';
import { hashPayload } from '../../task/payload-hash.js';
import { readWaitingRecord } from '../../task/task-record.js';

/** A task that is delivered for the first time, was never tried and has no key: nothing else is known of it. */
type FreshDelivery = readonly [entryId: string, head: string, body: string];

type OtherDelivery = readonly [
  entryId: string,
  deliveries: number,
  claim: string,
  detail: string | number,
  record: string,
  head?: string | readonly string[],
  body?: string,
  meta?: string,
];

/** What a claim has in common for all that it was handed. */
interface Claim {
  readonly queue: string;
  /** Who claimed, for how long, and when by the clock of Redis: the begin of each token. */
  readonly tokenPrefix: string;
  readonly claimedAt: number;
}

/** Reads the deliveries of turn.lua, claim.lua and reclaim.lua. */
export function decodeDeliveries(
  { queue, claim, now }: { readonly queue: string; readonly claim: string; readonly now: string },
  rows: unknown,
): Delivery[] {
  const claimed: Claim = { queue, tokenPrefix: `${claim}.${now}.`, claimedAt: Number(now) };
  return (rows as readonly (FreshDelivery | OtherDelivery)[]).map((row) =>
    row.length <= 3 ? decodeFresh(row as FreshDelivery, claimed) : decodeOther(row as OtherDelivery, claimed),
  );
}

function decodeFresh([entryId, head, body]: FreshDelivery, claim: Claim): Delivery {
  return toDelivery(claim, { entryId, storedCount: 1, fields: ['head', head, 'body', body], keyClaim: undefined });
}

function decodeOther(
  [entryId, storedCount, keyClaim, detail, record, ...entry]: OtherDelivery,
  claim: Claim,
): Delivery {
  return toDelivery(claim, {
    entryId,
    storedCount,
    record,
    fields: fieldsOf(entry),
    keyClaim: keyClaim === '' ? undefined : decodeKeyClaim(keyClaim, detail),
  });
}

type Parts = Pick<Delivery, 'entryId' | 'fields' | 'keyClaim'> & {
  readonly storedCount: number;
  readonly record?: string;
};

function toDelivery({ queue, tokenPrefix, claimedAt }: Claim, parts: Parts): Delivery {
  const { entryId, storedCount, fields, keyClaim } = parts;
  const { id, name } = splitHead(fieldOf(fields, 'head') ?? '');
  const { failedAttempts, hash, enqueuedAt, hasLinks } = readWaitingRecord(parts.record);
  const body = hash === undefined ? fieldOf(fields, 'body') : undefined;
  return {
    queue,
    entryId,
    fields,
    taskId: id,
    name,
    ...readDeliveryCount(storedCount),
    token: `${tokenPrefix}${storedCount}`,
    // A task that was never tried has its hash nowhere: most are never asked for it.
    payloadHash: body === undefined ? hash : hashPayload(body),
    failedAttempts,
    enqueuedAt: enqueuedAt ?? Number(entryId.split('-')[0]),
    claimedAt,
    keyClaim,
    ...(hasLinks ? { hasLinks } : {}),
  };
}

/** The usual fields come without their names; of other entries all is told. */
function fieldsOf([head = '', body = '', meta]: readonly [
  (string | readonly string[])?,
  string?,
  string?,
]): readonly string[] {
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

import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { LedgerWriter } from '../harness/ledger.js';
import type { WorkerSettings } from './settings.js';

/** Where the usual consumer finds its payments; nothing of this library is there. */
export const PAYMENTS = 'payments';
export const PAYMENT_GROUP = 'payment-workers';
/** Long enough for most payments, as such limits are chosen. */
const LOCK_MS = 1_000;
const SLOTS = 10;

type Entry = readonly [id: string, fields: readonly string[]];

/**
 * The consumer of many tutorials: GET whether it was done, SET NX a lock, pay, SET that it was done, XACK. With
 * `usual-snippet-reclaim` it also takes over what lies too long, which is what is added after the first payments were
 * missing.
 */
export async function runUsualSnippet({ options, control }: WorkerSettings, ledger: LedgerWriter): Promise<void> {
  const redis = new Redis(options.connection?.url ?? '', { protocol: 2 });
  await redis.xgroup('CREATE', PAYMENTS, PAYMENT_GROUP, '0', 'MKSTREAM').catch((error: Error) => {
    if (!error.message.startsWith('BUSYGROUP')) throw error;
  });
  const consumer = `worker-${process.pid}`;
  process.send?.('ready');
  process.once('SIGTERM', () => process.exit(0));
  const underway = new Set<Promise<void>>();
  for (;;) {
    while (underway.size >= SLOTS) await Promise.race(underway);
    const entries = control === 'usual-snippet-reclaim' ? await takeOver(redis, consumer) : [];
    entries.push(...(await read(redis, consumer)));
    for (const entry of entries) {
      const work = pay(redis, ledger, entry).finally(() => underway.delete(work));
      underway.add(work);
    }
  }
}

async function read(redis: Redis, consumer: string): Promise<Entry[]> {
  const reply = await redis.xreadgroup(
    'GROUP',
    PAYMENT_GROUP,
    consumer,
    'COUNT',
    SLOTS,
    'BLOCK',
    200,
    'STREAMS',
    PAYMENTS,
    '>',
  );
  return ((reply as [string, Entry[]][] | null)?.[0]?.[1] ?? []).slice();
}

async function takeOver(redis: Redis, consumer: string): Promise<Entry[]> {
  const [, entries] = (await redis.xautoclaim(PAYMENTS, PAYMENT_GROUP, consumer, LOCK_MS, '0', 'COUNT', SLOTS)) as [
    string,
    Entry[],
  ];
  return entries.slice();
}

async function pay(redis: Redis, ledger: LedgerWriter, [entryId, fields]: Entry): Promise<void> {
  const [id = '', ms = '0'] = [fields[1], fields[3]];
  if (await redis.get(`processed:${id}`)) {
    await redis.xack(PAYMENTS, PAYMENT_GROUP, entryId);
    return;
  }
  if ((await redis.set(`lock:${id}`, '1', 'PX', LOCK_MS, 'NX')) === null) return;
  try {
    await pause(Number(ms));
    ledger.write({ kind: 'effect', id, key: id, attempt: 1, deliveries: 1 });
    await redis.set(`processed:${id}`, '1');
    await redis.xack(PAYMENTS, PAYMENT_GROUP, entryId);
  } finally {
    await redis.del(`lock:${id}`);
  }
}

import type { ConfirmedDurability, Durability } from '../../contracts/inbox-store.interface.js';
import { DurabilityUnavailableError } from '../../task/producer-errors.js';
import type { RedisClient } from '../connection/redis-client.js';
import type { ServerDetector } from '../connection/redis-session.js';

const FSYNC_TIMEOUT_MS = 2_500;
const REPLICA_TIMEOUT_MS = 1_000;
const FSYNC = "'fsync'";

/** What is asked for beside the memory of the server. */
export type AskedDurability = Exclude<Durability, 'memory'>;

/** How a durability is confirmed on this server. */
export type Confirmation =
  | { readonly kind: 'fsync-by-setting' }
  | { readonly kind: 'fsync-by-wait' }
  | { readonly kind: 'replicas'; readonly replicas: number; readonly timeoutMs: number };

/** How it is written in the options, for messages. */
export function nameOf(durability: AskedDurability): string {
  return durability === 'fsync' ? FSYNC : `{ replicas: ${durability.replicas} }`;
}

/**
 * How this server can confirm the durability. Asked each time, because settings change while a server runs.
 *
 * @throws DurabilityUnavailableError when it cannot.
 */
export async function requireDurability(
  client: RedisClient,
  durability: AskedDurability,
  detectServer: ServerDetector,
): Promise<Confirmation> {
  if (durability !== 'fsync') {
    return { kind: 'replicas', replicas: durability.replicas, timeoutMs: durability.timeoutMs ?? REPLICA_TIMEOUT_MS };
  }
  const { persistence, capabilities } = await detectServer(client);
  if (persistence === 'none') throw new DurabilityUnavailableError(FSYNC, 'this server keeps no append-only file');
  // Before the setting, which may change between this question and the write.
  if (capabilities.includes('waitaof')) return { kind: 'fsync-by-wait' };
  // With `always` the reply itself comes after the fsync.
  if (persistence === 'always') return { kind: 'fsync-by-setting' };
  throw new DurabilityUnavailableError(
    FSYNC,
    `this server has no WAITAOF (Redis 7.2, Valkey 7.2) and its appendfsync is ${persistence}, not always`,
  );
}

/** The server answered, and the answer is no. */
export class NotConfirmedError extends Error {}

/** Waits for the writes of this connection. @throws NotConfirmedError; or what Redis or the connection answered. */
export async function confirmDurability(
  client: RedisClient,
  confirmation: Confirmation,
  detectServer: ServerDetector,
): Promise<ConfirmedDurability> {
  switch (confirmation.kind) {
    case 'fsync-by-setting': {
      // It was so before the write; where it is so after it, the write was synced.
      const { persistence } = await detectServer(client);
      if (persistence !== 'always') throw new NotConfirmedError(`appendfsync was changed to ${persistence} meanwhile`);
      return { level: 'fsync', confirmedBy: 'appendfsync always', replicas: undefined };
    }
    case 'fsync-by-wait': {
      const [local, replicas] = (await client.call('waitaof', 1, 0, FSYNC_TIMEOUT_MS)) as [number, number];
      if (local < 1) throw new NotConfirmedError(`the disk did not confirm within ${FSYNC_TIMEOUT_MS} ms`);
      return { level: 'fsync', confirmedBy: 'WAITAOF', replicas };
    }
    case 'replicas': {
      const replicas = (await client.call('wait', confirmation.replicas, confirmation.timeoutMs)) as number;
      if (replicas >= confirmation.replicas) return { level: 'replicas', confirmedBy: 'WAIT', replicas };
      throw new NotConfirmedError(
        `${replicas} of ${confirmation.replicas} replicas confirmed within ${confirmation.timeoutMs} ms`,
      );
    }
  }
}

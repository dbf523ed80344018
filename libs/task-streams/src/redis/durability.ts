import type { ConfirmedDurability, Durability } from '../contracts/broker.interface.js';
import { DurabilityUnavailableError } from '../task/producer-errors.js';
import type { RedisClient } from './redis-client.js';
import type { ServerDetector } from './redis-session.js';

const FSYNC_TIMEOUT_MS = 2_500;
const REPLICA_TIMEOUT_MS = 1_000;

/** How a durability is confirmed on this server. */
export type Confirmation =
  | { readonly kind: 'fsync-by-setting'; readonly name: string }
  | { readonly kind: 'fsync-by-wait'; readonly name: string }
  | { readonly kind: 'replicas'; readonly name: string; readonly replicas: number; readonly timeoutMs: number };

/**
 * How this server can confirm the durability. Asked each time, because settings change while a server runs.
 *
 * @throws DurabilityUnavailableError when it cannot.
 */
export async function requireDurability(
  client: RedisClient,
  durability: Exclude<Durability, 'memory'>,
  detectServer: ServerDetector,
): Promise<Confirmation> {
  if (durability !== 'fsync') {
    const timeoutMs = durability.timeoutMs ?? REPLICA_TIMEOUT_MS;
    return { kind: 'replicas', name: `{ replicas: ${durability.replicas} }`, replicas: durability.replicas, timeoutMs };
  }
  const name = "'fsync'";
  const { persistence, capabilities } = await detectServer(client);
  if (persistence === 'none') throw new DurabilityUnavailableError(name, 'this server keeps no append-only file');
  // With `always` the reply itself comes after the fsync.
  if (persistence === 'always') return { kind: 'fsync-by-setting', name };
  if (capabilities.includes('waitaof')) return { kind: 'fsync-by-wait', name };
  throw new DurabilityUnavailableError(
    name,
    `this server has no WAITAOF (Redis 7.2, Valkey 7.2) and its appendfsync is ${persistence}, not always`,
  );
}

/** Waits for the writes of this connection. @throws Error when they are not confirmed in time. */
export async function confirmDurability(client: RedisClient, confirmation: Confirmation): Promise<ConfirmedDurability> {
  switch (confirmation.kind) {
    case 'fsync-by-setting':
      return { level: 'fsync', confirmedBy: 'appendfsync always', replicas: undefined };
    case 'fsync-by-wait': {
      const [local, replicas] = (await client.call('waitaof', 1, 0, FSYNC_TIMEOUT_MS)) as [number, number];
      if (local < 1) throw new Error(`the disk did not confirm within ${FSYNC_TIMEOUT_MS} ms`);
      return { level: 'fsync', confirmedBy: 'WAITAOF', replicas };
    }
    case 'replicas': {
      const replicas = (await client.call('wait', confirmation.replicas, confirmation.timeoutMs)) as number;
      if (replicas >= confirmation.replicas) return { level: 'replicas', confirmedBy: 'WAIT', replicas };
      throw new Error(`${replicas} of ${confirmation.replicas} replicas confirmed within ${confirmation.timeoutMs} ms`);
    }
  }
}

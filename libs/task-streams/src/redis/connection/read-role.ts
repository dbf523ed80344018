import { classifyRedisError } from '../../policy/redis-error.js';
import type { RedisClient } from './redis-client.js';
import { field } from '../server/server-report.js';

/** What the server behind a connection is; `unknown` where the user may ask neither ROLE nor INFO. */
export type ServerRole = 'primary' | 'replica' | 'unknown';

/** @throws the error of the connection. */
export async function readRole(client: RedisClient): Promise<ServerRole> {
  const role =
    (await allowed(() => client.call('role') as Promise<readonly unknown[]>))?.[0] ??
    field((await allowed(() => client.info('replication'))) ?? '', 'role');
  if (role === 'master') return 'primary';
  return role === 'slave' ? 'replica' : 'unknown';
}

async function allowed<T>(question: () => Promise<T>): Promise<T | undefined> {
  try {
    return await question();
  } catch (error) {
    // No right, or no such command on a server that is only like Redis.
    if (classifyRedisError(error) === 'config') return undefined;
    throw error;
  }
}

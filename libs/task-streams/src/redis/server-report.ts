import type { ServerReport } from '../contracts/broker.interface.js';
import { UnsuitableServerError } from '../task/config-errors.js';
import type { RedisClient } from './redis-client.js';

const REDIS_MIN_MAJOR = 7;
const VALKEY_MIN_MAJOR = 8;

/** What kind of server this is and what it promises. Reads INFO; CONFIG where it is allowed. */
export async function readServerReport(client: RedisClient): Promise<ServerReport> {
  // Sections are asked for one by one: several at once are an error before Redis 7.0.
  const [server, persistence, memory] = await Promise.all([
    client.info('server'),
    client.info('persistence'),
    client.info('memory'),
  ]);
  const valkey = field(server, 'valkey_version');
  return {
    kind: valkey ? 'valkey' : 'redis',
    version: valkey ?? field(server, 'redis_version') ?? 'unknown',
    persistence: field(persistence, 'aof_enabled') === '1' ? await readFsyncPolicy(client) : 'none',
    evictionPolicy: field(memory, 'maxmemory_policy') ?? 'unknown',
    maxMemoryBytes: numberOf(field(memory, 'maxmemory')),
  };
}

/** @throws UnsuitableServerError when the server is too old. */
export function requireSuitableServer(report: ServerReport): void {
  const major = Number.parseInt(report.version, 10);
  const least = report.kind === 'valkey' ? VALKEY_MIN_MAJOR : REDIS_MIN_MAJOR;
  if (major >= least) return;
  throw new UnsuitableServerError(
    `The server is ${report.kind} ${report.version}; nestjs-task-streams needs Redis 7.0 or Valkey 8.0, or newer. ` +
      'Upgrade the server, or connect to another.',
  );
}

async function readFsyncPolicy(client: RedisClient): Promise<ServerReport['persistence']> {
  try {
    const [, policy] = (await client.call('config', 'get', 'appendfsync')) as [string, string];
    return policy === 'no' ? 'no-fsync' : (policy as 'always' | 'everysec');
  } catch {
    // Managed servers forbid CONFIG.
    return 'unknown';
  }
}

function field(info: string, name: string): string | undefined {
  return new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1];
}

function numberOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}

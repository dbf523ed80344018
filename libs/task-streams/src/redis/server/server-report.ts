import type { ServerReport } from '../../contracts/server-store.interface.js';
import type { RedisClient } from '../connection/redis-client.js';

/** Commands that not every supported server has, or that not every user may run; each has a way around it. */
const OPTIONAL_COMMANDS = ['waitaof', 'acl|dryrun'] as const;

/**
 * What kind of server this is, what it promises and what it can do: the one place that finds out. Reads INFO; CONFIG and
 * COMMAND where they are allowed. Asked anew each time, because settings and servers change while a process runs.
 */
export async function readServerReport(client: RedisClient): Promise<ServerReport> {
  // Sections are asked for one by one: several at once are an error before Redis 7.0.
  const [server, persistence, memory, capabilities] = await Promise.all([
    readInfo(client, 'server'),
    readInfo(client, 'persistence'),
    readInfo(client, 'memory'),
    readCapabilities(client),
  ]);
  const valkey = field(server, 'valkey_version');
  const kept = await readPersistence(client, field(persistence, 'aof_enabled'));
  return {
    kind: valkey ? 'valkey' : 'redis',
    version: valkey ?? field(server, 'redis_version') ?? 'unknown',
    persistence: kept,
    evictionPolicy: field(memory, 'maxmemory_policy') ?? 'unknown',
    maxMemoryBytes: numberOf(field(memory, 'maxmemory')),
    capabilities: capabilities ?? [],
    unanswered: [
      ...(server === '' ? (['INFO'] as const) : []),
      ...(kept === 'unknown' && persistence !== '' ? (['CONFIG GET'] as const) : []),
      ...(capabilities === undefined ? (['COMMAND INFO'] as const) : []),
    ],
  };
}

/** A user who may not ask is told less; that is no reason to fail. */
export async function readInfo(client: RedisClient, section: string): Promise<string> {
  try {
    return await client.info(section);
  } catch (error) {
    if (isUnanswered(error)) return '';
    throw error;
  }
}

async function readCapabilities(client: RedisClient): Promise<ServerReport['capabilities'] | undefined> {
  try {
    const infos = (await client.call('command', 'info', ...OPTIONAL_COMMANDS)) as readonly unknown[];
    return OPTIONAL_COMMANDS.filter((_, i) => infos[i] !== null);
  } catch (error) {
    if (isUnanswered(error)) return undefined;
    throw error;
  }
}

async function readPersistence(client: RedisClient, hasAof: string | undefined): Promise<ServerReport['persistence']> {
  if (hasAof === undefined) return 'unknown';
  if (hasAof !== '1') return 'none';
  try {
    const [, policy] = (await client.call('config', 'get', 'appendfsync')) as [string, string];
    return policy === 'no' ? 'no-fsync' : (policy as 'always' | 'everysec');
  } catch {
    // Managed servers forbid CONFIG.
    return 'unknown';
  }
}

export function isForbidden(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('NOPERM');
}

/** Whether it is the answer to a question that this server does not answer: no right, or `rename-command`, as managed servers do. */
export function isUnanswered(error: unknown): boolean {
  return isForbidden(error) || (error instanceof Error && /^ERR unknown command/i.test(error.message));
}

/** The value of a line of INFO. */
export function field(info: string, name: string): string | undefined {
  return new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1];
}

function numberOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}

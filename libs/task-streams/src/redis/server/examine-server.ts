import type { ServerReport } from '../../contracts/server-store.interface.js';
import { withoutFullStop } from '../../task/sentence.js';
import { UnsuitableServerError } from '../../task/config-errors.js';
import { BOOT_CHECKS, bootChecks, type BootCheckName } from './boot-check.js';
import { detectServers } from './detect-servers.js';
import { requireOwnUse } from './foreign-use.js';
import type { RedisClient } from '../connection/redis-client.js';
import { SCRIPT_NAMES, type RedisSession } from '../connection/redis-session.js';
import { field, isUnanswered, readInfo } from './server-report.js';

/**
 * What one look at the server came to: `good`, `bad` with what is wrong and what to do, `poor` with what does not work as it
 * should, or `unknown` where this user may not ask.
 *
 * @publicApi
 */
export interface ServerFinding {
  readonly check: BootCheckName | 'scripts';
  /** The queue it is about; absent where it is about the server, or all queues at once. */
  readonly queue?: string;
  readonly verdict: 'good' | 'poor' | 'bad' | 'unknown';
  /** What is wrong and what to do; `undefined` unless it is bad or poor. */
  readonly detail: string | undefined;
}

/** @publicApi */
export interface ServerExam {
  readonly server: ServerReport;
  readonly findings: readonly ServerFinding[];
  /** Bytes the server uses, on a Cluster the primary that uses most; `undefined` where it does not say. */
  readonly usedMemoryBytes: number | undefined;
  /** How far the clock of this machine is ahead of the one of Redis, in milliseconds; on a Cluster of the one it differs from most. */
  readonly clockAheadMs: number;
}

/**
 * Looks at all that a boot looks at, and goes on where something is wrong. The rights are those of an operator of these queues,
 * who asks.
 *
 * @throws RedisUnavailableError where Redis cannot be asked.
 */
export async function examineServer(session: RedisSession, queues: readonly string[]): Promise<ServerExam> {
  return session.forUser(async () => {
    const clients = await session.primaries();
    const server = await detectServers(session, clients);
    const checks = bootChecks(session, server, queues, 'operator');
    const findings: ServerFinding[] = [];
    for (const name of BOOT_CHECKS.filter((check) => check !== 'foreign-use'))
      findings.push(await find(name, checks[name]));
    findings.push(...(await Promise.all(queues.map((queue) => findForeignUse(session, queue)))));
    findings.push(await find('scripts', () => loadScriptsEverywhere(session, clients)));
    return {
      server,
      findings,
      usedMemoryBytes: mostOf(await Promise.all(clients.map(usedMemoryBytes))),
      clockAheadMs: mostOf(await Promise.all(clients.map(clockAheadMs))) ?? 0,
    };
  });
}

/** The one that is farthest from zero; `undefined` where none is known. */
function mostOf(values: readonly (number | undefined)[]): number | undefined {
  return values.filter((value) => value !== undefined).toSorted((a, b) => Math.abs(b) - Math.abs(a))[0];
}

async function usedMemoryBytes(client: RedisClient): Promise<number | undefined> {
  const used = field(await readInfo(client, 'memory'), 'used_memory');
  return used === undefined ? undefined : Number(used);
}

async function findForeignUse(session: RedisSession, queue: string): Promise<ServerFinding> {
  return { ...(await find('foreign-use', () => requireOwnUse(session, queue))), queue };
}

async function find(check: ServerFinding['check'], look: () => Promise<boolean | string>): Promise<ServerFinding> {
  try {
    const answer = await look();
    if (typeof answer === 'string') return { check, verdict: 'poor', detail: answer };
    return { check, verdict: answer ? 'good' : 'unknown', detail: undefined };
  } catch (error) {
    if (!(error instanceof UnsuitableServerError)) throw error;
    return { check, verdict: 'bad', detail: error.message };
  }
}

async function loadScriptsEverywhere(session: RedisSession, clients: readonly RedisClient[]): Promise<boolean> {
  return (await Promise.all(clients.map((client) => loadScripts(session, client)))).every(Boolean);
}

/** Whether the server can compile every script; it keeps them, as it would at their first run. */
async function loadScripts(session: RedisSession, client: RedisClient): Promise<boolean> {
  for (const name of SCRIPT_NAMES) {
    const script = session.script(name);
    try {
      await client.call('script', 'load', script.text);
    } catch (error) {
      if (isUnanswered(error)) return false;
      if (!(error instanceof Error) || !/compil|script|Unknown Redis command/i.test(error.message)) throw error;
      throw new UnsuitableServerError(
        `The script "${name}" cannot be loaded: ${withoutFullStop(error.message)}. Use a server with Lua scripts and ` +
          'script flags: Redis 7.0 or Valkey 8.0, or newer.',
      );
    }
  }
  return true;
}

/** Measured against the middle of the call. */
async function clockAheadMs(client: RedisClient): Promise<number> {
  const before = Date.now();
  const [seconds, microseconds] = await client.time();
  const middle = (before + Date.now()) / 2;
  return Math.round(middle - (Number(seconds) * 1_000 + Number(microseconds) / 1_000));
}

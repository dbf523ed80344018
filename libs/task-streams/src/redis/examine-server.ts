import type { ServerReport } from '../contracts/server-report.interface.js';
import { withoutFullStop } from '../task/sentence.js';
import { UnsuitableServerError } from '../task/config-errors.js';
import { BOOT_CHECKS, bootChecks, type BootCheckName } from './boot-check.js';
import type { RedisClient } from './redis-client.js';
import { SCRIPT_NAMES, type RedisSession } from './redis-session.js';
import { field, isForbidden, readInfo } from './server-report.js';

/**
 * What one look at the server came to: `good`, `bad` with what is wrong and what to do, `poor` with what does not work as it
 * should, or `unknown` where this user may not ask.
 *
 * @publicApi
 */
export interface ServerFinding {
  readonly check: BootCheckName | 'scripts';
  readonly verdict: 'good' | 'poor' | 'bad' | 'unknown';
  /** What is wrong and what to do; `undefined` unless it is bad or poor. */
  readonly detail: string | undefined;
}

/** @publicApi */
export interface ServerExam {
  readonly server: ServerReport;
  readonly findings: readonly ServerFinding[];
  /** Bytes the server uses; `undefined` where it does not say. */
  readonly usedMemoryBytes: number | undefined;
  /** How far the clock of this machine is ahead of the one of Redis, in milliseconds. */
  readonly clockAheadMs: number;
}

/**
 * Looks at all that a boot looks at, and goes on where something is wrong. The rights are those of an operator of these queues,
 * who asks.
 *
 * @throws RedisUnavailableError where Redis cannot be asked.
 */
export async function examineServer(session: RedisSession, queues: readonly string[]): Promise<ServerExam> {
  return session.ask(async (client) => {
    const server = await session.detectServer(client);
    const checks = bootChecks(session, server, queues, 'operator');
    const findings: ServerFinding[] = [];
    for (const name of BOOT_CHECKS) findings.push(await find(name, checks[name]));
    findings.push(await find('scripts', () => loadScripts(session, client)));
    const used = field(await readInfo(client, 'memory'), 'used_memory');
    return {
      server,
      findings,
      usedMemoryBytes: used === undefined ? undefined : Number(used),
      clockAheadMs: await clockAheadMs(client),
    };
  });
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

/** Whether the server can compile every script; it keeps them, as it would at their first run. */
async function loadScripts(session: RedisSession, client: RedisClient): Promise<boolean> {
  for (const name of SCRIPT_NAMES) {
    const script = session.script(name);
    try {
      await client.call('script', 'load', script.text);
    } catch (error) {
      if (isForbidden(error)) return false;
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

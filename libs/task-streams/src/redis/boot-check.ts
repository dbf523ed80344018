import type { BootReport, ServerReport } from '../contracts/server-report.interface.js';
import { evictionAdvice } from '../policy/server-advice.js';
import { UnsuitableServerError } from '../task/config-errors.js';
import { detectServers } from './detect-servers.js';
import { requireKnownFormat } from './format-version.js';
import { requirePermissions } from './permissions.js';
import type { RedisClient } from './redis-client.js';
import { SCRIPT_NAMES, type RedisSession } from './redis-session.js';
import { sampleCommands } from './required-commands.js';

const REDIS_MIN_MAJOR = 7;
const VALKEY_MIN_MAJOR = 8;
/** For rights on commands where no queue is known. */
const ANY_QUEUE = 'any';

/** What is looked at, in this order. */
export const BOOT_CHECKS = ['version', 'eviction', 'permissions', 'format'] as const;

export type BootCheckName = (typeof BOOT_CHECKS)[number];

/** Answers false where it could not be looked at. @throws UnsuitableServerError where the server cannot be used as it is. */
type BootCheck = () => Promise<boolean>;

/**
 * Looks whether the server can be used as it is.
 *
 * @param queues Those this process works on; without any it only enqueues.
 * @throws UnsuitableServerError where it cannot.
 */
export async function checkServer(session: RedisSession, queues: readonly string[]): Promise<BootReport> {
  const report = await detectServers(session, await session.primaries());
  const checks = bootChecks(session, report, queues);
  const answers: boolean[] = [];
  for (const name of BOOT_CHECKS) answers.push(await checks[name]());
  return { ...report, arePermissionsChecked: answers[BOOT_CHECKS.indexOf('permissions')] === true };
}

/** The checks one by one, for who wants to know of all that is wrong. */
export function bootChecks(
  session: RedisSession,
  report: ServerReport,
  queues: readonly string[],
): Readonly<Record<BootCheckName, BootCheck>> {
  return {
    version: async () => requireVersion(report),
    eviction: async () => requireNoEviction(report, session.options.allowEviction),
    permissions: async () => report.capabilities.includes('acl|dryrun') && mayDoItsPartEverywhere(session, queues),
    format: async () => requireKnownFormat(session, queues),
  };
}

function requireVersion({ kind, version }: ServerReport): boolean {
  const major = Number.parseInt(version, 10);
  const least = kind === 'valkey' ? VALKEY_MIN_MAJOR : REDIS_MIN_MAJOR;
  // A server that does not tell is given the benefit of the doubt.
  if (Number.isNaN(major) || major >= least) return true;
  throw new UnsuitableServerError(
    `The server is ${kind} ${version}; nestjs-task-streams needs Redis 7.0 or Valkey 8.0, or newer. ` +
      'Upgrade the server, or connect to another.',
  );
}

function requireNoEviction(report: ServerReport, isAllowed: boolean): boolean {
  const advice = evictionAdvice(report);
  if (advice === undefined || isAllowed) return report.evictionPolicy !== 'unknown';
  throw new UnsuitableServerError(`${advice}. To start all the same, set the option allowEviction.`);
}

async function mayDoItsPartEverywhere(session: RedisSession, queues: readonly string[]): Promise<boolean> {
  const clients = await session.primaries();
  const answers = await Promise.all(clients.map((client) => mayDoItsPart(session, client, queues)));
  return answers.every(Boolean);
}

function mayDoItsPart(session: RedisSession, client: RedisClient, queues: readonly string[]): Promise<boolean> {
  const names = queues.length === 0 ? (['append'] as const) : SCRIPT_NAMES;
  const scripts = names.map((name) => session.script(name));
  const [first = ANY_QUEUE, ...others] = queues;
  return requirePermissions(client, {
    commands: [
      ...sampleCommands(scripts, session.keys(first)),
      // The rights on commands are the same for each queue, those on keys need not be.
      ...others.map((queue) => ['SET', session.keys(queue).stream, 'v']),
    ],
    keyPatterns: queues.map((queue) => session.keys(queue).stream.replace(/stream$/, '*')),
  });
}

import type { BootReport, ServerReport } from '../../contracts/server-store.interface.js';
import { evictionAdvice } from '../../policy/server-advice.js';
import { UnsuitableServerError } from '../../task/config-errors.js';
import { addressOf } from '../connection/address-of.js';
import { detectServers } from './detect-servers.js';
import { requireOwnUse } from './foreign-use.js';
import { requireKnownFormat } from './format-version.js';
import type { AclRole } from './acl-roles.js';
import { requirePermissions, type PermissionAnswer, type PermissionPlan } from './permissions.js';
import type { RedisSession } from '../connection/redis-session.js';

const REDIS_MIN_MAJOR = 7;
const VALKEY_MIN_MAJOR = 8;
/** For rights on commands where no queue is known. */
const ANY_QUEUE = 'any';

/** What is looked at, in this order. */
export const BOOT_CHECKS = ['version', 'eviction', 'permissions', 'foreign-use', 'format'] as const;

export type BootCheckName = (typeof BOOT_CHECKS)[number];

/**
 * Answers false where it could not be looked at, and advice where it can be used but not as it should be.
 *
 * @throws UnsuitableServerError where the server cannot be used as it is.
 */
type BootCheck = () => Promise<boolean | string>;

/**
 * Looks whether the server can be used as it is.
 *
 * @param queues Those this process works on; without any it only enqueues.
 * @throws UnsuitableServerError where it cannot.
 */
export async function checkServer(session: RedisSession, queues: readonly string[]): Promise<BootReport> {
  const clients = await session.primaries();
  const report = await detectServers(session, clients);
  const checks = bootChecks(session, report, queues, queues.length === 0 ? 'producer' : 'worker');
  const answers: (boolean | string)[] = [];
  for (const name of BOOT_CHECKS) answers.push(await checks[name]());
  return {
    ...report,
    address: [...new Set(clients.map(addressOf))].join(', '),
    arePermissionsChecked: answers[BOOT_CHECKS.indexOf('permissions')] !== false,
    warnings: answers.filter((answer) => typeof answer === 'string'),
  };
}

/** The checks one by one, for who wants to know of all that is wrong. */
export function bootChecks(
  session: RedisSession,
  report: ServerReport,
  queues: readonly string[],
  role: AclRole,
): Readonly<Record<BootCheckName, BootCheck>> {
  return {
    version: async () => requireVersion(report),
    eviction: async () => requireNoEviction(report, session.options.allowEviction),
    permissions: async () => mayDoItsPartEverywhere(session, report, queues, role),
    'foreign-use': async () => mayBeUsedAlone(session, queues),
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

async function mayBeUsedAlone(session: RedisSession, queues: readonly string[]): Promise<boolean | string> {
  const answers = await Promise.all(queues.map((queue) => requireOwnUse(session, queue)));
  const advice = answers.filter((answer) => typeof answer === 'string');
  return advice.length === 0 ? answers.every(Boolean) : advice.join('. ');
}

async function mayDoItsPartEverywhere(
  session: RedisSession,
  report: ServerReport,
  queues: readonly string[],
  role: AclRole,
): Promise<PermissionAnswer> {
  const plan = permissionPlan(session, report, queues, role);
  const clients = await session.primaries();
  const answers = await Promise.all(clients.map((client) => requirePermissions(client, plan)));
  return answers.find((answer) => typeof answer === 'string') ?? answers.every(Boolean);
}

function permissionPlan(
  session: RedisSession,
  { capabilities }: ServerReport,
  queues: readonly string[],
  role: AclRole,
): PermissionPlan {
  const { prefix } = session.options;
  const [first = ANY_QUEUE] = queues;
  const catalog = `${prefix}:queues`;
  return {
    role,
    catalog,
    hasWaitaof: capabilities.includes('waitaof'),
    areQueuesKnown: queues.length > 0,
    queues: (queues.length === 0 ? [ANY_QUEUE] : queues).map((queue) => session.keys(queue)),
    keyPatterns:
      queues.length === 0
        ? [`${prefix}:*`]
        : [...queues.map((queue) => session.keys(queue).stream.replace(/stream$/, '*')), catalog],
    probe: () => session.run('inspect', first, []),
  };
}

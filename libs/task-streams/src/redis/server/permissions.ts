import { UnsuitableServerError } from '../../task/config-errors.js';
import { classifyRedisError, isReply } from '../../policy/redis-error.js';
import { aclNameOf, aclRules, commandsOfRole, type AclRole } from './acl-roles.js';
import type { QueueKeys } from '../connection/queue-keys.js';
import type { RedisClient } from '../connection/redis-client.js';
import { sampleOf, type SampleCommand } from './required-commands.js';
import { isForbidden } from './server-report.js';

const NO_COMMAND = /permissions to run the '([^']+)' command/;
const NO_KEY = /permissions to access the '([^']+)' key/;

/** What has to be allowed. */
export interface PermissionPlan {
  readonly role: AclRole;
  /** Of each queue, the first is asked about with every command. */
  readonly queues: readonly QueueKeys[];
  /** The key with the names of the queues. */
  readonly catalog: string;
  /** What the keys of this user are, as patterns of ACL SETUSER. */
  readonly keyPatterns: readonly string[];
  /** Whether these are its queues; else one stands for all, and only the right to their list is asked for. */
  readonly areQueuesKnown: boolean;
  readonly hasWaitaof: boolean;
  /** Reads a queue, for a server that does not say what is allowed. */
  readonly probe: () => Promise<unknown>;
}

/** What a user may do: all, all but what has a way around it (the advice says what), or nobody may ask. */
export type PermissionAnswer = boolean | string;

/** ACL SETUSER refuses a pattern that adds nothing. */
const UNLESS_ALL = ' (without the ~ where the user has ~* already)';

interface Missing {
  readonly required: readonly string[];
  readonly wanted: readonly string[];
  /** `unknown` where each command is refused: the server looks at commands first. */
  readonly keys: 'allowed' | 'denied' | 'unknown';
}

/**
 * Asks the server whether the user of this connection may do what its role does, without doing it. Everything is asked at
 * once, so the line of the answer suffices.
 *
 * @returns false where it may not be asked; advice where only something with a way around it is missing.
 * @throws UnsuitableServerError with every command and key that is missing, and the command that allows them.
 */
export async function requirePermissions(client: RedisClient, plan: PermissionPlan): Promise<PermissionAnswer> {
  const user = await whoAmI(client);
  const missing = user === undefined ? undefined : await findMissing(client, user, plan);
  if (user === undefined || missing === undefined) return requireSome(client, plan);
  const { required, wanted, keys } = missing;
  const hasKeys = keys === 'allowed';
  const line = setUser(
    user,
    hasKeys ? [] : plan.keyPatterns,
    [...required, ...wanted].map((name) => `+${name}`),
  );
  if (required.length === 0 && hasKeys) {
    if (wanted.length === 0) return true;
    return `The user "${user}" of this Redis may not run ${wanted.join(', ')}, so ${costOf(wanted)}. Run ${line}`;
  }
  const cannot = [
    ...(required.length > 0 ? [`run ${required.join(', ')}`] : []),
    ...(hasKeys ? [] : [`use the keys ${keysOf(plan)}`]),
  ].join(' nor ');
  throw new UnsuitableServerError(
    `The user "${user}" of this Redis may not ${cannot}, as ${nameOf(plan.role)} does. Run ${line}, then start again${keys === 'unknown' ? UNLESS_ALL : ''}.`,
  );
}

function keysOf({ areQueuesKnown, keyPatterns, catalog }: PermissionPlan): string {
  const all = keyPatterns.join(', ');
  const least = `${catalog} and, of each of its queues, ${catalog.replace(/queues$/, '{<queue>}:*')}`;
  return areQueuesKnown ? all : `${all} (at the least ${least})`;
}

/** Where nobody may ask, a user who may do nothing is told of the whole line; one who may read is believed. */
async function requireSome(client: RedisClient, plan: PermissionPlan): Promise<false> {
  try {
    await plan.probe();
    return false;
  } catch (error) {
    // What other programs write to the queue is another check.
    if (classifyRedisError(error) === 'wrong-type') return false;
    if (!isDenied(error)) throw error;
    const user = (client.options as { readonly username?: string } | undefined)?.username || 'default';
    const line = setUser(user, plan.keyPatterns, aclRules(plan.role, plan));
    throw new UnsuitableServerError(
      `The user "${user}" of this Redis may not do what ${nameOf(plan.role)} does, nor ask what it may do ` +
        `(${(error as Error).message}). Run ${line}, then start again${UNLESS_ALL}.`,
    );
  }
}

async function whoAmI(client: RedisClient): Promise<string | undefined> {
  try {
    return (await client.call('acl', 'whoami')) as string;
  } catch (error) {
    if (isReply(error)) return undefined;
    throw error;
  }
}

/** @returns undefined where the server does not answer such questions. */
async function findMissing(client: RedisClient, user: string, plan: PermissionPlan): Promise<Missing | undefined> {
  const { role, queues, catalog } = plan;
  const [first, ...others] = queues;
  if (first === undefined) throw new Error('There is no queue to ask about');
  const { required, wanted } = commandsOfRole(role);
  const ask = (sample: SampleCommand) => dryRun(client, user, sample);
  const [onKeys, onOthers, lacking] = await Promise.all([
    Promise.all(required.map(async (name) => [name, await ask(sampleOf(name, first, catalog))] as const)),
    Promise.all(others.map(({ stream }) => ask(['EXISTS', stream]))),
    Promise.all(wanted.map(async (name) => [name, await ask(sampleOf(name, first, catalog))] as const)),
  ]);
  const answers = [...onKeys.map(([, answer]) => answer), ...onOthers];
  if (answers.includes(undefined)) return undefined;
  const denied = (pairs: typeof onKeys) =>
    [
      ...new Set(pairs.filter(([, answer]) => NO_COMMAND.test(answer ?? '')).map(([name]) => aclNameOf(name))),
    ].toSorted();
  const ofList = onKeys.filter(([name]) => name.endsWith(' queues')).map(([, answer]) => answer);
  const onAll = onKeys.filter(([name]) => name !== 'TIME').map(([, answer]) => answer);
  const judged = plan.areQueuesKnown ? [...onAll, ...onOthers] : ofList;
  const isKeyDenied = judged.some((answer) => NO_KEY.test(answer ?? ''));
  const isKnown = judged.includes('OK') && !onOthers.some((answer) => NO_COMMAND.test(answer ?? ''));
  const keys = isKeyDenied ? 'denied' : isKnown ? 'allowed' : 'unknown';
  return { required: denied(onKeys), wanted: denied(lacking), keys };
}

/** @returns undefined where it may not be asked; a command that this server does not have is none that it refuses. */
async function dryRun(client: RedisClient, user: string, sample: SampleCommand): Promise<string | undefined> {
  try {
    return (await client.call('acl', 'dryrun', user, ...sample)) as string;
  } catch (error) {
    if (error instanceof Error && /^ERR Command '.*' not found/i.test(error.message)) return 'OK';
    if (isReply(error)) return undefined;
    throw error;
  }
}

/** Whether it was refused for want of rights, inside a script too. */
export function isDenied(error: unknown): boolean {
  return (
    isForbidden(error) || (error instanceof Error && /ACL failure in script|executing the script/.test(error.message))
  );
}

function setUser(user: string, keyPatterns: readonly string[], rules: readonly string[]): string {
  return `ACL SETUSER ${[user, ...keyPatterns.map((pattern) => `~${pattern}`), ...rules].join(' ')}`;
}

function costOf(wanted: readonly string[]): string {
  const isUnblock = wanted.some((name) => name.startsWith('client'));
  const isDurability = wanted.some((name) => name.startsWith('wait'));
  return [
    ...(isUnblock ? ['a stop or a pause drops a connection, with the answer that may be on its way'] : []),
    ...(isDurability ? ['a durability of fsync or replicas cannot be confirmed'] : []),
  ].join(', and ');
}

function nameOf(role: AclRole): string {
  return role === 'operator' ? 'an operator' : `a ${role}`;
}

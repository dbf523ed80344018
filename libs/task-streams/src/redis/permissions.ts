import { UnsuitableServerError } from '../task/config-errors.js';
import { classifyRedisError } from '../policy/redis-error.js';
import type { RedisClient } from './redis-client.js';
import type { SampleCommand } from './required-commands.js';

const NO_COMMAND = /permissions to run the '([^']+)' command/;
const NO_KEY = /permissions to access the '([^']+)' key/;

/** What has to be allowed. */
export interface PermissionPlan {
  readonly commands: readonly SampleCommand[];
  /** The keys of each queue as a pattern; empty where the queues are not known, and keys are then no matter. */
  readonly keyPatterns: readonly string[];
}

/**
 * Asks the server whether the user of this connection may run the commands, without running them.
 *
 * @returns false where it may not be asked.
 * @throws UnsuitableServerError with every command and key that is missing, and the command that allows them.
 */
export async function requirePermissions(client: RedisClient, plan: PermissionPlan): Promise<boolean> {
  let user: string;
  let answers: readonly string[];
  try {
    user = (await client.call('acl', 'whoami')) as string;
    answers = (await Promise.all(
      plan.commands.map((command) => client.call('acl', 'dryrun', user, ...command)),
    )) as string[];
  } catch (error) {
    if (classifyRedisError(error) === 'config') return false;
    throw error;
  }
  const commands = unique(answers, NO_COMMAND);
  const isKeyMissing = plan.keyPatterns.length > 0 && answers.some((answer) => NO_KEY.test(answer));
  if (commands.length === 0 && !isKeyMissing) return true;
  const missing = [
    ...(commands.length > 0 ? [`run ${commands.join(', ')}`] : []),
    ...(isKeyMissing ? [`use the keys ${plan.keyPatterns.join(', ')}`] : []),
  ].join(' nor ');
  const rules = [
    ...commands.map((command) => `+${command}`),
    ...(isKeyMissing ? plan.keyPatterns.map((pattern) => `~${pattern}`) : []),
  ].join(' ');
  throw new UnsuitableServerError(
    `The user "${user}" of this Redis may not ${missing}. Run ACL SETUSER ${user} ${rules}, then start again.`,
  );
}

function unique(answers: readonly string[], pattern: RegExp): string[] {
  return [...new Set(answers.flatMap((answer) => pattern.exec(answer)?.[1] ?? []))].toSorted();
}

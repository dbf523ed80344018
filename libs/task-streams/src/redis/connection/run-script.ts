import { classifyRedisError } from '../../policy/redis-error.js';
import type { Script } from './load-script.js';
import type { RedisClient } from './redis-client.js';
import { withoutSecrets } from './without-secrets.js';

export type ScriptArgument = string | number | Buffer;

/**
 * Runs a script by its hash, and by its text where the server does not know it (a restart, a fail-over, SCRIPT FLUSH).
 * The key is declared, so that a Cluster client finds the node.
 */
export async function runScript(
  client: RedisClient,
  script: Script,
  key: string,
  args: readonly ScriptArgument[],
): Promise<unknown> {
  try {
    return await client.evalsha(script.sha, 1, key, ...args);
  } catch (error) {
    if (classifyRedisError(error) !== 'no-script') throw withoutSecrets(error);
  }
  try {
    return await client.eval(script.text, 1, key, ...args);
  } catch (error) {
    throw withoutSecrets(error);
  }
}

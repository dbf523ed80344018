import { reactionTo } from '../../policy/redis-reactions.js';
import { addressOf } from './address-of.js';
import { lastErrorOf, rootOf } from './connection-errors.js';
import { holdOn } from './hold.js';
import type { RedisClient } from './redis-client.js';

/** Whether a command may be given to the client now. */
export function isReady(client: RedisClient): boolean {
  return client.status === 'ready' && !holdOn(client);
}

/**
 * Opens the connection where it is not open yet, and waits until it is ready, at most so long. A command is only given
 * to a client that is ready: then an error tells whether it can have reached the server. What only somebody outside can
 * change (a wrong password) is not waited for.
 *
 * @returns undefined when ready, else why not.
 */
export async function whenReady(client: RedisClient, timeoutMs: number): Promise<Error | undefined> {
  const beganAt = performance.now();
  const held = await holdOn(client)?.wait(timeoutMs);
  if (held) return held;
  if (client.status === 'ready') return undefined;
  if (client.status === 'wait' || client.status === 'end') client.connect().catch(() => undefined);
  if (isHopeless(lastErrorOf(client))) return lastErrorOf(client);
  const last = await readyOrHopeless(client, Math.max(timeoutMs - (performance.now() - beganAt), 0));
  if (last === 'ready') return undefined;
  const error = last ?? lastErrorOf(client);
  if (isHopeless(error)) return error;
  const why = error === undefined ? '' : ` (${textOf(error)})`;
  return new Error(`no connection to ${addressOf(client)} within ${Math.round(timeoutMs)} ms${why}`, { cause: error });
}

/** Whether there is no use in waiting: only somebody outside can change it. */
export function isHopeless(error: Error | undefined): boolean {
  return error !== undefined && reactionTo(error).worker === 'slow';
}

/** A host of several addresses fails with an error without a message. */
function textOf(error: Error & { readonly code?: string }): string {
  return error.message || error.code || error.name;
}

function readyOrHopeless(client: RedisClient, timeoutMs: number): Promise<'ready' | Error | undefined> {
  return new Promise((resolve) => {
    let last: Error | undefined;
    const settle = (outcome: 'ready' | Error | undefined) => {
      clearTimeout(timer);
      client.off('ready', onReady);
      client.off('error', onError);
      resolve(outcome);
    };
    const onReady = () => settle('ready');
    const onError = (error: Error) => {
      last = rootOf(error);
      if (isHopeless(last)) settle(last);
    };
    const timer = setTimeout(() => settle(last), timeoutMs);
    client.on('ready', onReady);
    client.on('error', onError);
  });
}

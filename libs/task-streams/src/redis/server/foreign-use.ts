import { UnsuitableServerError } from '../../task/config-errors.js';
import { onOneLine } from '../../task/sentence.js';
import { isDenied } from './permissions.js';
import type { RedisSession } from '../connection/redis-session.js';

/** The types of the keys of a queue, as TYPE says them. Without those of the first list no worker can work. */
const VITAL = { stream: 'stream', delayed: 'zset', dead: 'stream', owners: 'hash', meta: 'hash' } as const;
const TYPES: Readonly<Record<string, string>> = {
  ...VITAL,
  ...{ cancels: 'hash', workers: 'hash', heartbeat: 'string', deleted: 'hash', blocked: 'hash' },
  ...{ 'dead:groups': 'hash', 'dead:empty': 'zset', 'dead:counts': 'hash', 'dead:imported': 'zset' },
  ...{ audit: 'stream', events: 'stream' },
};
const PARTS = Object.keys(TYPES);

/** The most names of groups that are shown, and of each the most characters. */
const MAX_GROUPS = 5;
const MAX_NAME = 80;

/** What foreign.lua returns. */
type ForeignReply = readonly [types: readonly string[], groups: readonly string[]];

/**
 * Looks whether other programs use the keys of a queue: a key of another type, a second consumer group on the task stream.
 *
 * @returns true where none does, false where this user may not ask; advice where the queue works all the same.
 * @throws UnsuitableServerError where no worker can work on the queue, with all that was found.
 */
export async function requireOwnUse(session: RedisSession, queue: string): Promise<boolean | string> {
  const { stream } = session.keys(queue);
  const reply = await ask(session, queue);
  if (reply === undefined) return false;
  const [types, groups] = reply;
  const wrong = PARTS.filter((part, n) => types[n] !== 'none' && types[n] !== TYPES[part]);
  const found = [
    ...wrong.map((part) => wrongKey(stream.replace(/stream$/, part), types[PARTS.indexOf(part)] ?? '', part, queue)),
    ...(groups.length === 0 ? [] : [otherGroups(stream, groups, queue)]),
  ].join('. ');
  if (wrong.some((part) => part in VITAL)) throw new UnsuitableServerError(`${found}.`);
  return found === '' ? true : found;
}

async function ask(session: RedisSession, queue: string): Promise<ForeignReply | undefined> {
  try {
    return (await session.run('foreign', queue, PARTS)) as ForeignReply;
  } catch (error) {
    if (isDenied(error)) return undefined;
    throw error;
  }
}

function wrongKey(key: string, type: string, part: string, queue: string): string {
  return (
    `The key "${key}" is of type ${onOneLine(type)}, and queue "${queue}" keeps a ${TYPES[part]} there: another program has ` +
    `written to it. Find that program, look at the key, and move it away (RENAME) or delete it; or use another prefix`
  );
}

function otherGroups(stream: string, groups: readonly string[], queue: string): string {
  const names = groups.slice(0, MAX_GROUPS).map((name) => JSON.stringify(onOneLine(name.slice(0, MAX_NAME))));
  const more = groups.length > MAX_GROUPS ? ` and ${groups.length - MAX_GROUPS} more` : '';
  return (
    `The stream "${stream}" of queue "${queue}" has other consumer groups than "workers": ${names.join(', ')}${more}. ` +
    'A task that is settled is deleted from it, so they lose tasks and nobody tells them. Find the program that reads there, let it ' +
    `read the events of the queue (queues.<name>.events) instead, and run XGROUP DESTROY ${stream} <group>`
  );
}

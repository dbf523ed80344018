import type { Script } from '../connection/load-script.js';
import type { QueueKeys } from '../connection/queue-keys.js';
import { GROUP } from '../connection/queue-keys.js';

/** One call of a command, which only asks for rights: nothing comes of it. */
export type SampleCommand = readonly string[];

type Sample = (keys: QueueKeys, catalog: string) => SampleCommand;

/** A call of every command that is used, so that its rights can be asked for with its keys. */
const SAMPLES: Readonly<Record<string, Sample>> = {
  BLPOP: ({ wake }) => ['BLPOP', wake, '1'],
  'CLIENT ID': () => ['CLIENT', 'ID'],
  'CLIENT UNBLOCK': () => ['CLIENT', 'UNBLOCK', '1'],
  DEL: ({ owners }) => ['DEL', owners],
  EVAL: ({ stream }) => ['EVAL', '', '1', stream],
  EVALSHA: ({ stream }) => ['EVALSHA', '', '1', stream],
  EXISTS: ({ stream }) => ['EXISTS', stream],
  EXPIRE: ({ owners }) => ['EXPIRE', owners, '1'],
  GET: (keys) => ['GET', keys.record('a')],
  GETRANGE: (keys) => ['GETRANGE', keys.record('a'), '0', '1'],
  HDEL: ({ owners }) => ['HDEL', owners, 'f'],
  HEXISTS: ({ deadGroups }) => ['HEXISTS', deadGroups, 'f'],
  HGET: ({ owners }) => ['HGET', owners, 'f'],
  HGETALL: ({ deadGroups }) => ['HGETALL', deadGroups],
  HINCRBY: ({ deadCounts }) => ['HINCRBY', deadCounts, 'f', '1'],
  HLEN: ({ deadGroups }) => ['HLEN', deadGroups],
  HMGET: ({ owners }) => ['HMGET', owners, 'f'],
  HRANDFIELD: ({ owners }) => ['HRANDFIELD', owners, '1'],
  HSET: ({ owners }) => ['HSET', owners, 'f', 'v'],
  HSETNX: ({ owners }) => ['HSETNX', owners, 'f', 'v'],
  LPUSH: ({ wake }) => ['LPUSH', wake, 'v'],
  LRANGE: (keys) => ['LRANGE', keys.log('a'), '0', '1'],
  LTRIM: (keys) => ['LTRIM', keys.log('a'), '0', '1'],
  MGET: (keys) => ['MGET', keys.record('a')],
  PEXPIRE: (keys) => ['PEXPIRE', keys.record('a'), '1'],
  PTTL: (keys) => ['PTTL', keys.record('a')],
  RPUSH: (keys) => ['RPUSH', keys.log('a'), 'v'],
  SET: (keys) => ['SET', keys.record('a'), 'v'],
  TIME: () => ['TIME'],
  TYPE: ({ stream }) => ['TYPE', stream],
  WAIT: () => ['WAIT', '0', '1'],
  WAITAOF: () => ['WAITAOF', '0', '0', '1'],
  XACK: ({ stream }) => ['XACK', stream, GROUP, '0-1'],
  XADD: ({ stream }) => ['XADD', stream, '*', 'f', 'v'],
  XAUTOCLAIM: ({ stream }) => ['XAUTOCLAIM', stream, GROUP, 'c', '1', '0-0'],
  XCLAIM: ({ stream }) => ['XCLAIM', stream, GROUP, 'c', '1', '0-1'],
  XDEL: ({ stream }) => ['XDEL', stream, '0-1'],
  'XGROUP CREATE': ({ stream }) => ['XGROUP', 'CREATE', stream, GROUP, '0'],
  'XGROUP DELCONSUMER': ({ stream }) => ['XGROUP', 'DELCONSUMER', stream, GROUP, 'c'],
  'XINFO CONSUMERS': ({ stream }) => ['XINFO', 'CONSUMERS', stream, GROUP],
  'XINFO GROUPS': ({ stream }) => ['XINFO', 'GROUPS', stream],
  XLEN: ({ dead }) => ['XLEN', dead],
  XPENDING: ({ stream }) => ['XPENDING', stream, GROUP],
  XRANGE: ({ dead }) => ['XRANGE', dead, '-', '+'],
  XREADGROUP: ({ stream }) => ['XREADGROUP', 'GROUP', GROUP, 'c', 'STREAMS', stream, '>'],
  XREVRANGE: ({ audit }) => ['XREVRANGE', audit, '+', '-'],
  XTRIM: ({ stream }) => ['XTRIM', stream, 'MINID', '0-1'],
  ZCOUNT: ({ delayed }) => ['ZCOUNT', delayed, '0', '1'],
  ZADD: ({ delayed }) => ['ZADD', delayed, '1', 'a'],
  ZCARD: ({ delayed }) => ['ZCARD', delayed],
  ZPOPMIN: ({ delayed }) => ['ZPOPMIN', delayed],
  ZRANGE: ({ delayed }) => ['ZRANGE', delayed, '0', '0'],
  ZRANK: ({ delayed }) => ['ZRANK', delayed, 'a'],
  ZREM: ({ delayed }) => ['ZREM', delayed, 'a'],
  ZREMRANGEBYRANK: ({ delayed }) => ['ZREMRANGEBYRANK', delayed, '0', '0'],
  ZREMRANGEBYSCORE: ({ delayed }) => ['ZREMRANGEBYSCORE', delayed, '0', '0'],
  ZSCAN: ({ delayed }) => ['ZSCAN', delayed, '0'],
  ZSCORE: ({ delayed }) => ['ZSCORE', delayed, 'a'],
};

/** What is called on the names of the queues, which lie outside of their keys. */
const ON_CATALOG: Readonly<Record<string, Sample>> = {
  'ZADD queues': (_, catalog) => ['ZADD', catalog, '1', 'a'],
  'ZRANGE queues': (_, catalog) => ['ZRANGE', catalog, '0', '0'],
};

const CALL = /\bp?call\('([A-Z]+)'(?:, '([A-Z]+)')?/g;

/** The names of the commands that these scripts make, each once. */
export function commandsOf(scripts: readonly Script[]): string[] {
  const names = new Set<string>();
  for (const { text } of scripts) {
    for (const [, command = '', word] of text.matchAll(CALL)) {
      const long = `${command} ${word}`;
      names.add(long in SAMPLES ? long : command);
    }
  }
  return [...names];
}

/** A call of a command by its name, as {@link commandsOf} or a role has it. */
export function sampleOf(name: string, keys: QueueKeys, catalog: string): SampleCommand {
  const sample = SAMPLES[name] ?? ON_CATALOG[name];
  if (!sample) throw new Error(`There is no sample call of ${name}`);
  return sample(keys, catalog);
}

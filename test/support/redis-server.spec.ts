import { existsSync } from 'node:fs';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { askRedis } from '../../scripts/redis/index.mjs';
import { type TestRedis, type TestRedisOptions, startTestRedis } from './redis-server.js';

const started: TestRedis[] = [];

afterEach(async () => {
  await Promise.all(started.splice(0).map((redis) => redis.stop()));
});

describe('a private Redis of a test', () => {
  it('answers on a port of its own, apart from the shared one', async () => {
    const redis = await start();
    await askRedis(redis.url, [['SET', 'only-here', '1']]);
    expect(redis.url).not.toBe(inject('redisUrl'));
    expect(await askRedis(inject('redisUrl'), [['PING'], ['EXISTS', 'only-here']])).toEqual(['PONG', 0]);
  });

  it('keeps its data over a crash and a restart when it appends to a file', async () => {
    const redis = await start({ appendOnly: true, extraArgs: ['--appendfsync', 'always'] });
    await askRedis(redis.url, [['SET', 'kept', 'yes']]);
    const pid = redis.pid;
    await redis.kill('SIGKILL');
    await expect(askRedis(redis.url, [['PING']])).rejects.toThrow(/ECONNREFUSED/);
    await redis.restart();
    expect(redis.pid).not.toBe(pid);
    expect(await askRedis(redis.url, [['GET', 'kept']])).toEqual(['yes']);
  });

  it('does not answer while it is paused, and goes on afterwards', async () => {
    const redis = await start();
    await redis.kill('SIGSTOP');
    await expect(askRedis(redis.url, [['PING']], { timeoutMs: 200 })).rejects.toThrow('no answer within 200 ms');
    await redis.kill('SIGCONT');
    expect(await askRedis(redis.url, [['PING']])).toEqual(['PONG']);
  });

  it('stops while it is paused, and leaves no folder', async () => {
    const redis = await start();
    await redis.kill('SIGSTOP');
    await redis.stop();
    expect(existsSync(redis.dir)).toBe(false);
    await redis.stop();
  });

  it('takes a password and further settings', async () => {
    const redis = await start({ extraArgs: ['--requirepass', 'pass word', '--maxmemory', '10mb'] });
    expect(await askRedis(redis.url, [['CONFIG', 'GET', 'maxmemory']])).toEqual([['maxmemory', '10485760']]);
  });
});

async function start(options?: TestRedisOptions): Promise<TestRedis> {
  const redis = await startTestRedis(options);
  started.push(redis);
  return redis;
}

import { describe, expect, it, onTestFinished } from 'vitest';
import { startTestRedis } from '../support/redis-server.js';
import { deliver, item } from '../support/broker/open-broker.js';
import { die } from '../support/broker/dead-letters.js';
import { openDesk, type Desk } from './support/open-desk.js';
import type { CliResult } from './support/run-cli.js';

interface Report {
  readonly status: string;
  readonly findings: readonly { check: string; status: string; queue?: string; message: string; cure?: string }[];
}

const DURABLE = ['--appendonly', 'yes'];

/** A desk on a server of its own, on which all is well. */
async function openHealthy(extraArgs: readonly string[] = DURABLE): Promise<Desk> {
  const server = await startTestRedis({ extraArgs });
  onTestFinished(() => server.stop());
  const desk = await openDesk({}, server.url);
  await deliver(desk.broker, 'q', item('a'));
  await expect.poll(() => desk.broker.queues.list(10)).toContain('q');
  return desk;
}

async function examine(desk: Desk, ...more: string[]): Promise<{ result: CliResult; report: Report }> {
  const result = await desk.run(['doctor', '--json', ...more]);
  return { result, report: result.json<Report>() };
}

function statusOf({ findings }: Report, check: string): string | undefined {
  return findings.find((finding) => finding.check === check)?.status;
}

/** What is broken, and the lines that show it. */
interface Case {
  readonly name: string;
  readonly seed: (desk: Desk) => Promise<unknown>;
  readonly args?: readonly string[];
  readonly shown: readonly (readonly [
    check: string,
    status: 'warn' | 'fail',
    queue: string | undefined,
    message: RegExp,
  ])[];
}

const list = ({ redis, prefix }: Desk, queue: string) => redis.zadd(`${prefix}:queues`, Date.now(), queue);

const CASES: readonly Case[] = [
  {
    name: 'a server without a file, and nearly full',
    seed: async ({ redis }) => {
      await redis.config('SET', 'appendonly', 'no');
      const used = /used_memory:(\d+)/.exec(await redis.info('memory'))?.[1];
      await redis.config('SET', 'maxmemory', `${Math.round(Number(used) * 1.15)}`);
    },
    shown: [
      ['persistence', 'warn', undefined, /no append-only file.*Set appendonly yes/],
      ['memory', 'warn', undefined, /MiB used of \d/],
    ],
  },
  {
    name: 'a server that never syncs, and evicts',
    seed: async ({ redis }) => {
      await redis.config('SET', 'appendfsync', 'no');
      await redis.config('SET', 'maxmemory', '500mb');
      await redis.config('SET', 'maxmemory-policy', 'allkeys-lru');
    },
    shown: [
      ['persistence', 'warn', undefined, /appendfsync of Redis is no.*Set appendfsync everysec/],
      [
        'eviction',
        'fail',
        undefined,
        /maxmemory-policy of Redis is allkeys-lru.*CONFIG SET maxmemory-policy noeviction/,
      ],
    ],
  },
  {
    name: 'queues with one fault each',
    seed: async (desk) => {
      const { broker, redis, prefix } = desk;
      for (const queue of ['newer', 'broken', 'alone', 'later', 'left', 'paused', 'strange']) await list(desk, queue);
      await redis.hset(`${prefix}:{newer}:meta`, 'v', '99');
      await redis.set(`${prefix}:{broken}:stream`, 'x');
      await broker.inbox.append('alone', [item('a')], 'memory');
      await broker.inbox.append('later', [item('a', {}, { delayMs: 60_000 })], 'memory');
      const longAgo = `${Date.now() - 100_000} {"version":"0.1.0","running":1,"concurrency":1,"startedAt":1}`;
      await redis.hset(`${prefix}:{left}:workers`, 'gone:1:x', longAgo);
      await broker.queues.pause('paused', { by: 'ada', reason: 'tests' });
      await die(broker, 'unknown', [item('a')], { reason: 'unknown-task' });
      await redis.xadd(`${prefix}:{strange}:stream`, '*', 'hello', 'world');
      await redis.xgroup('CREATE', `${prefix}:{strange}:stream`, 'reports', '0');
      await redis.set(`${prefix}:{paused}:cancels`, 'x');
      await die(broker, 'nonsense', [item('a')], { reason: 'missing-field' });
      await expect.poll(() => broker.queues.list(20)).toEqual(expect.arrayContaining(['unknown', 'nonsense']));
    },
    args: ['--max-wait', '1ms'],
    shown: [
      ['format', 'fail', undefined, /"newer" is kept in format 99/],
      ['readable', 'fail', 'broken', /it cannot be read: WRONGTYPE/],
      ['no-workers', 'fail', 'alone', /1 waiting, 0 active, 0 delayed tasks, and no worker/],
      ['no-workers', 'warn', 'later', /0 waiting, 0 active, 1 delayed tasks, and no worker/],
      ['stale-workers', 'warn', 'left', /1 worker not heard of: gone:1:x \(1m \d+s ago\)/],
      ['paused', 'warn', 'paused', /paused by ada .*: tests/],
      ['unknown-tasks', 'fail', 'unknown', /1 dead letter of tasks without a handler: job/],
      ['foreign-use', 'fail', 'broken', /:\{broken\}:stream" is of type string, and .* keeps a stream there/],
      ['foreign-use', 'warn', 'paused', /:\{paused\}:cancels" is of type string, and .* keeps a hash there/],
      ['foreign-use', 'warn', 'strange', /has other consumer groups than "workers": "reports"\. .*XGROUP DESTROY/],
      ['foreign-entries', 'warn', 'strange', /entries that are no tasks: \d+-\d+/],
      ['foreign-entries', 'warn', 'nonsense', /1 dead letter that were no tasks/],
      ['oldest-waiting', 'warn', 'alone', /has waited .*, more than 1ms/],
      ['dead-letters', 'warn', 'unknown', /1 dead letter/],
    ],
  },
];

describe('the doctor', () => {
  it('finds nothing where all is well, and says so of each check', async () => {
    const { result, report } = await examine(await openHealthy(), '--strict');
    expect(report.findings.filter(({ status }) => status !== 'ok')).toEqual([]);
    expect(report.findings.map(({ check }) => check)).toEqual([
      'version',
      'persistence',
      'eviction',
      'memory',
      'clock',
      'permissions',
      'format',
      'scripts',
      'readable',
      'no-workers',
      'stale-workers',
      'paused',
      'unknown-tasks',
      'foreign-use',
      'foreign-entries',
      'oldest-waiting',
      'dead-letters',
    ]);
    expect(report.status).toBe('ok');
    expect(result.code).toBe(0);
  });

  it.each(CASES)('finds $name', async ({ seed, args = [], shown }) => {
    const desk = await openHealthy();
    await seed(desk);
    const { result, report } = await examine(desk, ...args);
    for (const [check, status, queue, message] of shown) {
      const finding = report.findings.find((one) => one.check === check && one.queue === queue);
      expect(finding, `${check} ${queue}`).toMatchObject({ status, message: expect.stringMatching(message) });
      // What to do is in a sentence of its own, or in the last one of the message.
      expect(`${finding?.message} ${finding?.cure ?? ''}`).toMatch(
        /(Run|Set|Give|Start|Look|Find|Update|Deploy|Any|task-streams) /,
      );
    }
    expect(result.code).toBe(shown.some(([, status]) => status === 'fail') ? 1 : 0);
  });

  it('finds rights that are missing, and what it may not ask', async () => {
    const desk = await openHealthy();
    await desk.redis.acl('SETUSER', 'poor', 'on', '>pw', '~*', '+@all', '-hincrby');
    await desk.redis.acl('SETUSER', 'mute', 'on', '>pw', '~*', '+@all', '-acl', '-config', '-info', '-script');
    const as = (user: string) => ({
      ...desk,
      run: (args: readonly string[]) => desk.run(args, { url: urlOf(desk, user) }),
    });
    const poor = (await examine(as('poor'))).report;
    expect(poor.findings.find(({ check }) => check === 'permissions')).toMatchObject({
      status: 'fail',
      message: expect.stringMatching(/may not run hincrby, as an operator does. Run ACL SETUSER poor \+hincrby/),
    });
    const mute = (await examine(as('mute'))).report;
    for (const check of ['persistence', 'eviction', 'permissions', 'scripts'])
      expect(statusOf(mute, check)).toBe('warn');
    expect(statusOf(mute, 'format')).toBe('ok');
  });

  it('fails for warnings, too, where it is told to, and is for people without --json', async () => {
    const desk = await openHealthy();
    await desk.broker.queues.pause('q', { by: 'ada', reason: undefined });
    const [lax, strict] = await Promise.all([desk.run(['doctor']), desk.run(['doctor', '--strict'])]);
    expect(lax.code).toBe(0);
    expect(strict.code).toBe(1);
    expect(lax.stdout).toMatch(/^warn {2}paused +queue "q": paused by ada .*\n +→ task-streams queues resume q$/m);
  });
});

function urlOf({ url }: Desk, user: string): string {
  return url.replace('//', `//${user}:pw@`);
}

import { Injectable, Logger, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { TaskHandler, TaskStreamsModule, TaskWorkers } from 'nestjs-task-streams';
import { TaskStreamsHealthIndicator, TaskStreamsHealthModule } from 'nestjs-task-streams/health';
import { describe, expect, inject, it, onTestFinished, vi } from 'vitest';

import { examineServer } from '../../../libs/task-streams/src/redis/server/examine-server.js';
import { item, openBroker } from '../../support/broker/open-broker.js';
import { startTestRedis } from '../../support/redis-server.js';

@Injectable()
class Handlers {
  @TaskHandler('echo', { queue: 'q' })
  echo(payload: unknown): unknown {
    return payload;
  }
}

/** An application that works on the queue `q`, and the warnings of its boot. */
async function start(prefix: string) {
  const warn = vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
  onTestFinished(() => warn.mockRestore());
  @Module({
    imports: [
      TaskStreamsModule.forRoot({ connection: inject('redisUrl'), prefix, timing: { blockMs: 200 } }),
      TaskStreamsHealthModule,
    ],
    providers: [Handlers],
  })
  class App {}
  const app = await NestFactory.createApplicationContext(App, { logger: ['warn'], abortOnError: false });
  onTestFinished(() => app.close());
  app.get(TaskWorkers).start();
  return { health: app.get(TaskStreamsHealthIndicator), warnings: warn.mock.calls.map(([text]) => String(text)) };
}

/** A terminus that does not know `degraded` says `up`, with the condition beside it. */
async function readinessOf(health: TaskStreamsHealthIndicator) {
  const { tasks } = await health.isReady('tasks');
  return { condition: tasks.status, ...tasks };
}

const VITAL = ['stream', 'delayed', 'dead', 'owners', 'meta'];
const OTHERS = [
  ...['cancels', 'workers', 'heartbeat', 'deleted', 'blocked', 'dead:groups', 'dead:empty', 'dead:counts'],
  ...['dead:imported', 'audit', 'events'],
];

describe('a second consumer group on the task stream', () => {
  it('is warned of at boot, and degrades readiness until it is gone', async () => {
    const { redis, prefix } = await openBroker();
    const stream = `${prefix}:{q}:stream`;
    await redis.xgroup('CREATE', stream, 'reports', '0', 'MKSTREAM');
    const { health, warnings } = await start(prefix);
    expect(warnings).toEqual(
      expect.arrayContaining([
        expect.stringContaining(
          `The stream "${stream}" of queue "q" has other consumer groups than "workers": "reports"`,
        ),
      ]),
    );
    const readiness = () => readinessOf(health);
    await expect.poll(readiness).toMatchObject({
      condition: 'degraded',
      problems: [expect.stringMatching(/queue "q": .*other consumer groups than "workers" \(1\)/)],
    });

    await redis.xgroup('DESTROY', stream, 'reports');
    await expect.poll(readiness).toMatchObject({ condition: 'up' });
  });

  it('is found where it comes while the application runs, and those of dead letters are no fault', async () => {
    const { redis, prefix } = await openBroker();
    const { health, warnings } = await start(prefix);
    expect(warnings.filter((text) => text.includes('consumer group'))).toEqual([]);
    await redis.xgroup('CREATE', `${prefix}:{q}:dead`, 'Shop.bury', '0', 'MKSTREAM');
    const readiness = () => readinessOf(health);
    await expect.poll(readiness).toMatchObject({ condition: 'up', queues: { q: { foreignGroups: 0 } } });

    await redis.xgroup('CREATE', `${prefix}:{q}:stream`, 'reports', '0');
    await redis.xgroup('CREATE', `${prefix}:{q}:stream`, 'copies', '0');
    await expect.poll(readiness).toMatchObject({ condition: 'degraded', queues: { q: { foreignGroups: 2 } } });
  });

  it('is counted whether the workers have theirs or not', async () => {
    const { broker, redis, prefix } = await openBroker();
    expect(await broker.queues.inspect('q')).toMatchObject({ foreignGroups: 0 });
    await redis.xgroup('CREATE', `${prefix}:{q}:stream`, 'reports', '0', 'MKSTREAM');
    expect(await broker.queues.inspect('q')).toMatchObject({ foreignGroups: 1, lag: undefined, active: 0 });
    await broker.work.ensure('q');
    await broker.inbox.append('q', [item('a')], 'memory');
    await broker.read('q', 1);
    expect(await broker.queues.inspect('q')).toMatchObject({ foreignGroups: 1, active: 1 });
  });

  it('is told with the first names on one line each, whatever they hold', async () => {
    const { broker, redis, prefix } = await openBroker();
    for (let i = 0; i < 6; i += 1)
      await redis.xgroup('CREATE', `${prefix}:{q}:stream`, `g${i}\n[Nest] "x`, '0', 'MKSTREAM');
    const { warnings } = await broker.server.check(['q']);
    expect(warnings).toEqual([expect.stringMatching(/^[^\n]*"g0 \[Nest\] \\"x", [^\n]* and 1 more\. [^\n]*$/)]);
  });
});

describe('a key of another type', () => {
  it.each(VITAL)('fails the boot of a worker of the queue: %s', async (part) => {
    const { broker, redis, prefix } = await openBroker();
    await broker.work.ensure('b');
    await redis.del(`${prefix}:{b}:${part}`);
    await redis.rpush(`${prefix}:{b}:${part}`, 'x');
    await expect(broker.server.check(['a', 'b'])).rejects.toMatchObject({
      code: 'TASK_STREAMS_UNSUITABLE_SERVER',
      message: expect.stringMatching(
        new RegExp(`^The key "${prefix}:\\{b\\}:${part}" is of type list, and queue "b" keeps a .*RENAME.*prefix\\.$`),
      ),
    });
    await expect(broker.server.check(['a'])).resolves.toMatchObject({ warnings: [] });
    await expect(broker.server.check([])).resolves.toMatchObject({ warnings: [] });
  });

  it('fails the boot of an application, with the key', async () => {
    const { redis, prefix } = await openBroker();
    await redis.set(`${prefix}:{q}:owners`, 'x');
    await expect(start(prefix)).rejects.toThrow(/:\{q\}:owners" is of type string, and queue "q" keeps a hash there/);
  });

  it.each(OTHERS)('is a warning where the queue works all the same: %s', async (part) => {
    const { broker, redis, prefix } = await openBroker();
    await redis.rpush(`${prefix}:{q}:${part}`, 'x');
    const { warnings } = await broker.server.check(['q']);
    expect(warnings).toEqual([expect.stringContaining(`The key "${prefix}:{q}:${part}" is of type list`)]);
  });

  it('is what a user hears of who may not ask for its rights', async () => {
    const server = await startTestRedis();
    onTestFinished(() => server.stop());
    const { redis, prefix, another } = await openBroker({}, server.url);
    await redis.acl('SETUSER', 'mute', 'on', '>pw', '~*', '+@all', '-acl');
    await redis.set(`${prefix}:{q}:dead`, 'x');
    const broker = another({ connection: { url: server.url.replace('//', '//mute:pw@') } });
    await expect(broker.server.check(['q'])).rejects.toThrow(/:\{q\}:dead" is of type string/);
  });

  it('is told together with everything else of the queue', async () => {
    const { broker, redis, prefix } = await openBroker();
    await redis.xgroup('CREATE', `${prefix}:{q}:stream`, 'reports', '0', 'MKSTREAM');
    await redis.set(`${prefix}:{q}:meta`, 'x');
    await redis.set(`${prefix}:{q}:cancels`, 'x');
    await expect(broker.server.check(['q'])).rejects.toThrow(/:meta" is .*:cancels" is .*"reports"/);
  });
});

describe('a queue that is used as it should be', () => {
  it('has no warning, whatever it holds', async () => {
    const { broker, prefix, redis } = await openBroker();
    await broker.inbox.append('q', [item('a'), item('b', {}, { delayMs: 60_000 })], 'memory');
    await broker.work.ensure('q');
    await broker.read('q', 1);
    expect(await redis.exists(`${prefix}:{q}:owners`, `${prefix}:{q}:delayed`, `${prefix}:{q}:meta`)).toBe(3);
    await expect(broker.server.check(['q', 'none'])).resolves.toMatchObject({ warnings: [] });
  });

  it('is examined queue by queue', async () => {
    const { broker, redis, prefix } = await openBroker();
    await redis.set(`${prefix}:{meta}:meta`, 'x');
    await redis.xgroup('CREATE', `${prefix}:{group}:stream`, 'reports', '0', 'MKSTREAM');
    const { findings } = await examineServer(broker.session, ['good', 'meta', 'group']);
    const own = findings.filter(({ check }) => check === 'foreign-use');
    expect(own.map(({ queue, verdict }) => [queue, verdict])).toEqual([
      ['good', 'good'],
      ['meta', 'bad'],
      ['group', 'poor'],
    ]);
  });

  it('is not looked at by a user who may not', async () => {
    const server = await startTestRedis();
    onTestFinished(() => server.stop());
    const { redis, another } = await openBroker({}, server.url);
    await redis.acl('SETUSER', 'old', 'on', '>pw', '~*', '+@all', '-type');
    const broker = another({ connection: { url: server.url.replace('//', '//old:pw@') } });
    const { findings } = await examineServer(broker.session, ['q']);
    expect(findings).toContainEqual({ check: 'foreign-use', queue: 'q', verdict: 'unknown', detail: undefined });
    expect(findings).toContainEqual(expect.objectContaining({ check: 'permissions', verdict: 'bad' }));
  });
});

import { readFileSync } from 'node:fs';
import { Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Redis } from 'ioredis';
import {
  AuditTrail,
  DeadLetterHandler,
  DeadLetterService,
  QueueControl,
  QueueInspector,
  TaskClient,
  type TaskContext,
  TaskHandler,
  TaskStreamsModule,
  TaskWorkers,
} from 'nestjs-task-streams';
import { openTaskStreams } from 'nestjs-task-streams/admin';
import { describe, expect, it, onTestFinished } from 'vitest';

import { aclRules, type AclRole } from '../../../libs/task-streams/src/redis/server/acl-roles.js';
import { startTestRedis } from '../../support/redis-server.js';

const page = readFileSync(new URL('../../../docs/security.md', import.meta.url), 'utf8');

/** The rules that the page has for a role: what follows the name of the user. */
function publishedRules(role: AclRole): string[] {
  const [, rules = ''] = new RegExp(`^ACL SETUSER shop-${role} on >password (.*)$`, 'm').exec(page) ?? [];
  return rules.split(' ');
}

interface Ground {
  readonly admin: Redis;
  readonly urlOf: (role: AclRole) => string;
  /** What was refused for want of rights. */
  readonly refused: () => Promise<readonly string[]>;
}

async function openGround(): Promise<Ground> {
  const server = await startTestRedis({ extraArgs: ['--appendonly', 'yes', '--appendfsync', 'always'] });
  onTestFinished(() => server.stop());
  const admin = new Redis(server.url, { protocol: 2 });
  onTestFinished(() => admin.disconnect());
  const hasWaitaof = ((await admin.call('COMMAND', 'INFO', 'WAITAOF')) as unknown[])[0] !== null;
  for (const role of ['producer', 'worker', 'operator'] as const)
    await admin.acl('SETUSER', role, 'on', '>pw', ...publishedRules(role), ...(hasWaitaof ? ['+waitaof'] : []));
  return {
    admin,
    urlOf: (role) => `redis://${role}:pw@127.0.0.1:${server.port}`,
    refused: async () => {
      const rows = (await admin.call('ACL', 'LOG')) as string[][];
      // ioredis says who it is, and does without an answer.
      return rows.map((row) => `${row[3]} ${row[5]} ${row[7]}`).filter((text) => !text.includes('setinfo'));
    },
  };
}

@Injectable()
class Shop {
  readonly letters: string[] = [];

  @TaskHandler('pay', { queue: 'q', idempotency: { key: (payload: { readonly i: number }) => `order ${payload.i}` } })
  async pay(payload: { readonly slow?: boolean }, ctx: TaskContext): Promise<string> {
    ctx.progress({ percent: 10 });
    ctx.log('begun');
    if (payload.slow) await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve, { once: true }));
    ctx.enqueue('mail', {}, { queue: 'q' });
    return 'paid';
  }

  @TaskHandler('mail', { queue: 'q' })
  mail(): void {}

  @TaskHandler('flaky', { queue: 'q', retry: { attempts: 2, backoff: [0] } })
  flaky(): void {
    throw new Error('no');
  }

  @DeadLetterHandler({ queue: 'q' }, { from: 'all' })
  bury({ taskId }: { readonly taskId: string }): void {
    this.letters.push(taskId);
  }
}

@Module({ providers: [Shop] })
class ShopModule {}

async function startWorker(url: string) {
  const options = {
    connection: url,
    timing: { promoteMs: 20, sweepMs: 50 },
    autoStart: true,
    queues: { q: { events: true } },
  };
  const app = await NestFactory.create(
    { module: ShopModule, imports: [TaskStreamsModule.forRoot(options)] },
    { logger: false },
  );
  await app.init();
  return app;
}

/** Everything a client of tasks can do with one that waits. */
async function useTasks(tasks: TaskClient): Promise<void> {
  const later = { queue: 'q', delayMs: 60_000 };
  const fsync = await tasks.enqueue('idle', { n: 1 }, { ...later, durability: 'fsync', id: 'a' });
  expect(fsync.durability.level).toBe('fsync');
  await expect(
    tasks.enqueue('idle', {}, { ...later, durability: { replicas: 1, timeoutMs: 20 } }),
  ).rejects.toMatchObject({ message: expect.stringContaining('0 of 1 replicas') });
  expect((await tasks.enqueue('idle', { n: 1 }, { ...later, id: 'a' })).duplicate).toBe(true);
  const [first] = await tasks.enqueueMany([{ task: 'idle', payload: {}, options: later }]);
  expect((await tasks.get(fsync.ref))?.state).toBe('delayed');
  expect((await tasks.list('q', { state: 'delayed' })).tasks.length).toBeGreaterThan(1);
  await tasks.logs(fsync.ref);
  expect((await tasks.reschedule(fsync.ref, { delayMs: 90_000 })).kind).toBe('rescheduled');
  expect((await tasks.cancel(fsync.ref, {})).kind).toBe('cancelled');
  await tasks.promote((first as { readonly ref: string }).ref);
}

describe('the published ACL lines', () => {
  it.each(['producer', 'worker', 'operator'] as const)('are those of the code: %s', (role) => {
    expect(publishedRules(role)).toEqual(['~ts:*', ...aclRules(role, { hasWaitaof: false })]);
  });

  it('let a producer do everything that a TaskClient can', async () => {
    const { urlOf, refused } = await openGround();
    const producer = openTaskStreams({
      connection: urlOf('producer'),
      queues: { q: { maxBacklog: 50, events: true } },
    });
    onTestFinished(() => producer.close());
    await useTasks(producer.tasks);

    const app = await startWorker(urlOf('worker'));
    const { ref } = await producer.tasks.enqueue('pay', { i: 1 }, { queue: 'q' });
    expect(await producer.tasks.result(ref, { timeoutMs: 10_000 })).toBe('paid');
    // The last lines of a task are written beside its settlement.
    await expect.poll(() => producer.tasks.logs(ref)).toHaveLength(1);
    await app.close();
    expect(await refused()).toEqual([]);
  });

  it('let a worker do everything that an application can', async () => {
    const { urlOf, refused, admin } = await openGround();
    const app = await startWorker(urlOf('worker'));
    const tasks = app.get(TaskClient);
    const control = app.get(QueueControl);
    const letters = app.get(DeadLetterService);

    const paid = await tasks.enqueue('pay', { i: 1 }, { queue: 'q' });
    expect(await tasks.result(paid.ref, { timeoutMs: 10_000 })).toBe('paid');
    const dead = await tasks.enqueue('flaky', {}, { queue: 'q' });
    await expect.poll(async () => (await tasks.get(dead.ref))?.state).toBe('dead');
    await expect.poll(() => app.get(Shop).letters).toContain(dead.id);
    const slow = await tasks.enqueue('pay', { i: 2, slow: true }, { queue: 'q' });
    await expect.poll(async () => (await tasks.get(slow.ref))?.state).toBe('active');
    await tasks.cancel(slow.ref, {});
    await control.pause('q');
    await useTasks(tasks);
    await letters.redriveMany('q', {});
    await control.drain('q', { delayed: true });
    await control.forgetKey('q', 'pay', 'order 1');
    await control.resume('q');
    await letters.groups('q');
    expect(await app.get(QueueInspector).queues()).toEqual(['q']);
    await app.get(QueueInspector).inspect('q');
    expect(await app.get(QueueInspector).workers('q')).toHaveLength(1);
    await app.get(AuditTrail).list('q');
    expect(app.get(TaskWorkers)).toBeDefined();
    await app.close();

    expect(await refused()).toEqual([]);
    // The reader was let go by CLIENT UNBLOCK: nobody is left who holds a connection.
    await expect.poll(async () => (await admin.call('CLIENT', 'LIST')) as string).not.toContain('user=worker');
  });
});

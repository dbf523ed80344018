import { Injectable, Module, type INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { randomBytes } from 'node:crypto';
import { describe, expect, inject, it, onTestFinished } from 'vitest';

import {
  type TaskChange,
  TaskClient,
  type TaskContext,
  TaskHandler,
  TaskStreamsModule,
  type TaskStreamsOptions,
} from 'nestjs-task-streams';
import { useWholePipeline } from '../../support/nest/task-app.js';

@Injectable()
class Exports {
  @TaskHandler('export', { retry: { backoff: [100], attempts: 2 } })
  async export(
    payload: { readonly fails?: boolean; readonly lines?: number; readonly waits?: boolean },
    ctx: TaskContext,
  ): Promise<void> {
    for (let i = 0; i < (payload.lines ?? 1); i += 1) ctx.log(`line ${i} of attempt ${ctx.attempt}`);
    for (let rows = 1; rows <= 50; rows += 1) ctx.progress({ rows });
    if (payload.fails) throw new Error('no disk');
    if (payload.waits) await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve));
  }
}

@Module({ providers: [Exports] })
class ExportsModule {}

async function start(isWhole: boolean, options: TaskStreamsOptions = {}): Promise<INestApplication> {
  const url = inject('redisUrl');
  const prefix = `test-${randomBytes(6).toString('hex')}`;
  const queues = { default: { events: true } };
  const tasks = TaskStreamsModule.forRoot({
    connection: { url },
    prefix,
    timing: { promoteMs: 20 },
    // A cancellation is heard with the next renewal at the latest, three times in a lease.
    leaseMs: 2_000,
    autoStart: true,
    enhancers: 'all',
    queues,
    ...options,
  });
  const app = await NestFactory.create({ module: ExportsModule, imports: [tasks] }, { logger: false });
  if (isWhole) useWholePipeline(app);
  await app.init();
  onTestFinished(() => app.close());
  return app;
}

/** What is heard from now on, until the task ends. */
function hear(client: TaskClient, taskId?: string, after?: string): { changes: TaskChange[]; isOver: () => boolean } {
  const changes: TaskChange[] = [];
  let isOver = false;
  const subscription = client.events({ queue: 'default', taskId, after }).subscribe({
    next: (change) => changes.push(change),
    complete: () => (isOver = true),
  });
  onTestFinished(() => subscription.unsubscribe());
  return { changes, isOver: () => isOver };
}

const FROM_START = '0-0';

describe.each([
  ['the whole pipeline', true],
  ['the short one', false],
])('following a task, in %s', (_, isWhole) => {
  it('shows in another process what happens to it, and ends with it', async () => {
    const prefix = `test-${randomBytes(6).toString('hex')}`;
    await start(isWhole, { prefix });
    const client = (await start(isWhole, { prefix, mode: 'producer', autoStart: false })).get(TaskClient);
    const { id, ref } = await client.enqueue('export', { fails: true });

    const heard = hear(client, id, FROM_START);

    await expect.poll(heard.isOver).toBe(true);
    const kinds = heard.changes.map(({ kind }) => kind);
    // Its sender tells that it was enqueued once Redis has answered: a worker may have started it by then.
    const told = kinds.filter((kind) => kind !== 'progress' && kind !== 'enqueued');
    expect(told).toEqual(['started', 'retrying', 'started', 'dead']);
    expect(kinds).toContain('enqueued');
    expect(kinds).toContain('progress');
    expect(heard.changes.find(({ kind }) => kind === 'retrying')).toMatchObject({
      queue: 'default',
      taskId: id,
      name: 'export',
      details: { error: { name: 'Error', message: 'no disk' } },
    });
    const behind = hear(client, id, heard.changes[2]?.cursor);
    await expect.poll(behind.isOver).toBe(true);
    expect(behind.changes).toEqual(heard.changes.slice(3));
    expect((await client.get(ref))?.state).toBe('dead');
  });

  it('tells who cancelled it', async () => {
    const client = (await start(isWhole)).get(TaskClient);
    const { id, ref } = await client.enqueue('export', { waits: true });
    await expect.poll(async () => (await client.get(ref))?.state).toBe('active');
    await client.cancel(ref, { actor: 'ann' });
    await client.enqueue('export', { waits: true }, { id: 'later', delayMs: 60_000 });
    await client.reschedule({ queue: 'default', id: 'later' }, { delayMs: 90_000 });
    await client.cancel({ queue: 'default', id: 'later' }, { reason: 'enough' });

    const [running, later] = [hear(client, id, FROM_START), hear(client, 'later', FROM_START)];

    await expect.poll(() => running.isOver() && later.isOver()).toBe(true);
    expect(running.changes.find(({ kind }) => kind === 'cancel-requested')?.details).toEqual({ by: 'ann' });
    expect(later.changes.map(({ kind }) => kind)).toEqual(['enqueued', 'rescheduled', 'cancelled']);
  });

  it('ends at once for a task that is over, or is not known', async () => {
    const client = (await start(isWhole)).get(TaskClient);
    const { id, ref } = await client.enqueue('export', {});
    await client.result(ref);

    const [over, unknown] = [hear(client, id), hear(client, 'nobody')];

    await expect.poll(() => over.isOver() && unknown.isOver()).toBe(true);
  });

  it('shows a whole queue to many, from now on', async () => {
    const client = (await start(isWhole)).get(TaskClient);
    const first = hear(client);
    const second = hear(client);
    // Heard of by both: they listen.
    await expect
      .poll(async () => (await client.enqueue('export', {}), Math.min(first.changes.length, second.changes.length)), {
        interval: 300,
      })
      .toBeGreaterThan(0);
    const { id } = await client.enqueue('export', {});

    const done = ({ changes }: { changes: TaskChange[] }) =>
      changes.some(({ taskId, kind }) => taskId === id && kind === 'completed');
    await expect.poll(() => done(first) && done(second)).toBe(true);
  });

  it('is refused where nobody writes changes down, and writes none', async () => {
    const client = (await start(isWhole, { queues: {} })).get(TaskClient);
    await client.result((await client.enqueue('export', {})).ref);

    expect(() => client.events({ queue: 'default' })).toThrow('Set queues["default"].events to true');
  });
});

describe('following a queue', () => {
  it('ends with the application', async () => {
    const app = await start(false);
    const heard = hear(app.get(TaskClient));
    const ofTask = hear(app.get(TaskClient), 'never-enqueued-and-waited-for');

    await app.close();

    await expect.poll(heard.isOver).toBe(true);
    await expect.poll(ofTask.isOver).toBe(true);
  });
});

describe.each([
  ['the whole pipeline', true],
  ['the short one', false],
])('the log of a task, in %s', (_, isWhole) => {
  it('has the last 100 lines of all attempts, in order, also those written just before the end', async () => {
    const client = (await start(isWhole)).get(TaskClient);
    const { ref, id } = await client.enqueue('export', { fails: true, lines: 70 });
    const heard = hear(client, id, FROM_START);
    await expect.poll(heard.isOver).toBe(true);

    await expect.poll(async () => (await client.logs(ref)).at(-1)?.text).toBe('line 69 of attempt 2');

    const lines = await client.logs(ref);
    expect(lines).toHaveLength(100);
    expect(lines[0]).toMatchObject({ attempt: 1, text: 'line 40 of attempt 1', at: expect.any(Date) });
    expect(lines[30]).toMatchObject({ attempt: 2, text: 'line 0 of attempt 2' });
    expect(await client.logs({ queue: 'default', id: 'nobody' })).toEqual([]);
  });

  it('shows the newest progress while the task runs', async () => {
    const client = (await start(isWhole)).get(TaskClient);
    const { ref } = await client.enqueue('export', { waits: true });

    await expect.poll(async () => (await client.get(ref))?.progress).toEqual({ rows: 50 });
    await client.cancel(ref);
  });
});

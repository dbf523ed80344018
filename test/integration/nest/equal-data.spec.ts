import { Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { randomBytes } from 'node:crypto';
import { describe, expect, inject, it, onTestFinished } from 'vitest';

import {
  DeadLetterService,
  type EnqueueOptions,
  TaskClient,
  TaskHandler,
  TaskStreamsModule,
  UnrecoverableError,
} from 'nestjs-task-streams';

interface Work {
  readonly order: string;
  readonly lines: readonly { readonly sku: string; readonly count: number }[];
  readonly fails?: boolean;
}

const ONE: Work = { order: 'o-1', lines: [{ sku: 'a', count: 1 }] };
const SAME: Work = { lines: [{ count: 1, sku: 'a' }], order: 'o-1' };
const OTHER: Work = { order: 'o-1', lines: [{ sku: 'a', count: 2 }] };

@Injectable()
class Handlers {
  readonly seen: Work[] = [];
  failures = 0;

  @TaskHandler('plain', { queue: 'q', retry: { backoff: [10] } })
  plain(work: Work): number {
    return this.note(work);
  }

  @TaskHandler('keyed', { queue: 'q', retry: { backoff: [10] }, idempotency: { key: ({ order }: Work) => order } })
  keyed(work: Work): number {
    return this.note(work);
  }

  private note(work: Work): number {
    this.seen.push(work);
    if (work.fails) throw new UnrecoverableError('no');
    if (this.failures > 0) {
      this.failures -= 1;
      throw new Error('once more');
    }
    return this.seen.length;
  }
}

@Module({ providers: [Handlers] })
class HandlersModule {}

async function start() {
  const connection = { url: inject('redisUrl') };
  const prefix = `test-${randomBytes(6).toString('hex')}`;
  const tasks = TaskStreamsModule.forRoot({ connection, prefix, timing: { promoteMs: 20 }, autoStart: true });
  const app = await NestFactory.create({ module: HandlersModule, imports: [tasks] }, { logger: false });
  await app.init();
  onTestFinished(() => app.close());
  const client = app.get(TaskClient);
  const send = (name: string, payload: Work, options: EnqueueOptions = {}) =>
    client.enqueue(name, payload, { queue: 'q', ...options });
  const run = async (name: string, payload: Work, options?: EnqueueOptions): Promise<unknown> =>
    client.result((await send(name, payload, options)).ref, { timeoutMs: 10_000 });
  return { letters: app.get(DeadLetterService), handlers: app.get(Handlers), client, send, run };
}

describe.each([0, 1])('the same data with its members in another order, after %i failed attempts', (failures) => {
  it('is the same work under a key of the sender', async () => {
    const { handlers, run } = await start();
    handlers.failures = failures;
    const options = { idempotencyKey: 'k' };
    const first = await run('plain', ONE, options);
    expect(await run('plain', SAME, options)).toBe(first);
    await expect(run('plain', OTHER, options)).rejects.toThrow(/another payload/);
    expect(handlers.seen.length).toBe(1 + failures);
    expect(handlers.seen[0]).toEqual(ONE);
  });

  it('is the same work under a key that the handler computes', async () => {
    const { handlers, run } = await start();
    handlers.failures = failures;
    const first = await run('keyed', ONE);
    expect(await run('keyed', SAME)).toBe(first);
    await expect(run('keyed', OTHER)).rejects.toThrow(/another payload/);
  });

  it('is the same task under an id, while it waits and after it', async () => {
    const { handlers, client, send } = await start();
    handlers.failures = failures;
    const delayed = await send('plain', ONE, { id: 'late', delayMs: 60_000 });
    expect(await send('plain', SAME, { id: 'late' })).toMatchObject({ duplicate: true });
    await client.promote(delayed.ref);
    await client.result(delayed.ref, { timeoutMs: 10_000 });
    expect(await send('plain', SAME, { id: 'late' })).toMatchObject({ duplicate: true, state: 'completed' });
    await expect(send('plain', OTHER, { id: 'late' })).rejects.toMatchObject({ name: 'TaskConflictError' });
  });
});

it('keeps a large payload the same work, whatever the order of its members', async () => {
  const { run } = await start();
  const lines = Array.from({ length: 300 }, (_, count) => ({ sku: `sku ${count}`, count }));
  const first = await run('keyed', { order: 'o', lines });
  const turned = lines.map(({ sku, count }) => ({ count, sku }));
  expect(await run('keyed', { lines: turned, order: 'o' })).toBe(first);
  expect(await run('keyed', { lines: turned, order: 'o' }, { idempotencyKey: 'k', id: 'i' })).toBe(first);
});

it('is the same task after a dead letter was mended', async () => {
  const { client, letters, send } = await start();
  const { ref } = await send('plain', { ...ONE, fails: true }, { id: 'i' });
  await expect(client.result(ref, { timeoutMs: 10_000 })).rejects.toThrow();
  const [letter] = (await letters.list('q')).letters;
  await letters.redrive('q', letter?.entryId ?? '', { patch: { fails: null } });
  expect(await send('plain', SAME, { id: 'i' })).toMatchObject({ duplicate: true });
});

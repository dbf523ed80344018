import { Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import { describe, expect, inject, it, onTestFinished } from 'vitest';

import {
  AuditTrail,
  InvalidNameError,
  QueueControl,
  TaskClient,
  TaskHandler,
  TaskStreamsModule,
} from 'nestjs-task-streams';

const KEYED = { idempotencyKey: 'order 17' };

@Injectable()
class Debits {
  runs = 0;
  wait: Promise<void> | undefined;

  @TaskHandler('debit', { queue: 'q', retry: false })
  async debit(payload: { readonly fails?: boolean }): Promise<number> {
    this.runs += 1;
    const run = this.runs;
    await this.wait;
    if (payload.fails) throw new Error('declined');
    return run;
  }

  @TaskHandler('refund', { queue: 'q', idempotency: { key: ({ order }: { readonly order: string }) => order } })
  refund(): number {
    this.runs += 1;
    return this.runs;
  }
}

@Module({ providers: [Debits] })
class DebitsModule {}

async function start() {
  const url = inject('redisUrl');
  const prefix = `test-${randomBytes(6).toString('hex')}`;
  const tasks = TaskStreamsModule.forRoot({ connection: { url }, prefix, timing: { promoteMs: 20 }, autoStart: true });
  const app = await NestFactory.create({ module: DebitsModule, imports: [tasks] }, { logger: false });
  await app.init();
  const redis = new Redis(url);
  onTestFinished(async () => {
    await app.close();
    await redis.quit();
  });
  const client = app.get(TaskClient);
  const run = async (name: string, payload: object, options: object = KEYED): Promise<unknown> => {
    const { ref } = await client.enqueue(name, payload, { queue: 'q', ...options });
    return client.result(ref, { timeoutMs: 10_000 });
  };
  const audit = async () => (await app.get(AuditTrail).list('q')).records;
  const lockKey = `${prefix}:{q}:k:debit/order 17`;
  return { client, control: app.get(QueueControl), debits: app.get(Debits), redis, run, audit, lockKey };
}

describe('an idempotency key that is forgotten', () => {
  it('lets the next task with the key run, whose result is then the one that is remembered', async () => {
    const { control, debits, run } = await start();
    expect([await run('debit', {}), await run('debit', {})]).toEqual([1, 1]);

    expect(await control.forgetKey('q', 'debit', 'order 17')).toEqual({ kind: 'forgotten' });

    expect([await run('debit', {}), await run('debit', {})]).toEqual([2, 2]);
    expect(debits.runs).toBe(2);
  });

  it('may take another payload with it', async () => {
    const { control, run } = await start();
    await run('debit', { cents: 100 });

    await control.forgetKey('q', 'debit', 'order 17');

    expect(await run('debit', { cents: 900 })).toBe(2);
  });

  it('may be one that the handler computed', async () => {
    const { control, run } = await start();
    const payload = { order: 'o-1' };
    expect([await run('refund', payload, {}), await run('refund', payload, {})]).toEqual([1, 1]);

    expect(await control.forgetKey('q', 'refund', 'o-1')).toEqual({ kind: 'forgotten' });

    expect(await run('refund', payload, {})).toBe(2);
  });

  it('is one of one task of one queue', async () => {
    const { control, run } = await start();
    await run('debit', {});

    expect(await control.forgetKey('q', 'refund', 'order 17')).toEqual({ kind: 'unknown' });
    expect(await control.forgetKey('other', 'debit', 'order 17')).toEqual({ kind: 'unknown' });

    expect(await run('debit', {})).toBe(1);
  });
});

describe('an idempotency key that a task holds', () => {
  it('is busy and stays its own: nothing with the key runs beside it', async () => {
    const { client, control, debits, redis, run, lockKey } = await start();
    let open = () => {};
    debits.wait = new Promise<void>((resolve) => (open = resolve));
    onTestFinished(() => open());
    const first = run('debit', {});
    await expect.poll(() => debits.runs).toBe(1);
    const lock = await redis.get(lockKey);
    expect(lock).toMatch(/^L /);

    expect(await control.forgetKey('q', 'debit', 'order 17')).toEqual({ kind: 'busy' });

    expect(await redis.get(lockKey)).toBe(lock);
    const { ref } = await client.enqueue('debit', {}, { queue: 'q', ...KEYED });
    await expect.poll(async () => (await client.get(ref))?.state).toBe('delayed');
    open();
    expect([await first, await client.result(ref, { timeoutMs: 10_000 })]).toEqual([1, 1]);
  });
});

describe('an idempotency key that is not kept', () => {
  it('is unknown, whether nobody used it or its task failed', async () => {
    const { control, debits, run } = await start();
    expect(await control.forgetKey('q', 'debit', 'order 17')).toEqual({ kind: 'unknown' });

    await expect(run('debit', { fails: true })).rejects.toThrow('declined');

    expect(await control.forgetKey('q', 'debit', 'order 17')).toEqual({ kind: 'unknown' });
    expect(debits.runs).toBe(1);
  });

  it('is what the id of a task is that was sent without one', async () => {
    const { control, run } = await start();
    await run('debit', {}, { id: 'a' });

    expect(await control.forgetKey('q', 'debit', 'a')).toEqual({ kind: 'unknown' });
  });
});

describe('forgetting a key', () => {
  it('is in the audit log with who and why, once', async () => {
    const { control, run, audit } = await start();
    const who = { actor: 'ann', reason: 'the bank took it back' };
    await run('debit', {});

    await control.forgetKey('q', 'debit', 'order 17', who);
    await control.forgetKey('q', 'debit', 'order 17', who);

    expect(await audit()).toMatchObject([{ action: 'forget-key', ...who, scope: { task: 'debit', key: 'order 17' } }]);
  });

  it.each([
    ['queue', ['a{b}', 'debit', 'k']],
    ['task', ['q', 'a/b', 'k']],
    ['key', ['q', 'debit', 'a\nb']],
  ] as const)('refuses a bad %s before it asks Redis', async (_, [queue, task, key]) => {
    const control = new QueueControl(undefined as never, undefined as never);
    await expect(control.forgetKey(queue, task, key)).rejects.toThrow(InvalidNameError);
  });

  it('refuses an actor that is no text', async () => {
    const control = new QueueControl(undefined as never, undefined as never);
    await expect(control.forgetKey('q', 'debit', 'k', { actor: 7 as never })).rejects.toThrow(/forgetKey\.actor/);
  });
});

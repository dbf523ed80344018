import { Injectable, Module, type INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { randomBytes } from 'node:crypto';
import { describe, expect, inject, it, onTestFinished } from 'vitest';

import {
  TaskCancelledError,
  TaskClient,
  type TaskContext,
  TaskHandler,
  TaskStreamsModule,
  type TaskStreamsOptions,
} from 'nestjs-task-streams';
import { useWholePipeline } from '../../support/nest/task-app.js';

@Injectable()
class Exports {
  readonly reasons: unknown[] = [];

  @TaskHandler('export', { retry: { backoff: [0] } })
  async export(payload: { readonly stubborn?: boolean }, ctx: TaskContext): Promise<string> {
    await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve, { once: true }));
    this.reasons.push(ctx.signal.reason);
    if (payload.stubborn) return 'done all the same';
    throw new Error('stopped half way');
  }
}

@Module({ providers: [Exports] })
class ExportsModule {}

async function start(isWhole: boolean, options: TaskStreamsOptions = {}): Promise<INestApplication> {
  const url = inject('redisUrl');
  const prefix = `test-${randomBytes(6).toString('hex')}`;
  const tasks = TaskStreamsModule.forRoot({
    connection: { url },
    prefix,
    timing: { promoteMs: 20 },
    autoStart: true,
    enhancers: 'all',
    ...options,
  });
  const app = await NestFactory.create({ module: ExportsModule, imports: [tasks] }, { logger: false });
  if (isWhole) useWholePipeline(app);
  await app.init();
  onTestFinished(() => app.close());
  return app;
}

async function running(app: INestApplication, payload: object): Promise<{ client: TaskClient; ref: string }> {
  const client = app.get(TaskClient);
  const { ref } = await client.enqueue('export', payload);
  await expect.poll(async () => (await client.get(ref))?.state).toBe('active');
  return { client, ref };
}

describe.each([
  ['the whole pipeline', true],
  ['the short one', false],
])('a running task that is cancelled, in %s', (_, isWhole) => {
  it('is told by its signal, ends as cancelled when it gives up, and tells whoever waits for it', async () => {
    const app = await start(isWhole);
    const { client, ref } = await running(app, {});
    const result = client.result(ref).catch((error: unknown) => error);

    expect(await client.cancel(ref, { reason: 'a wrong year', actor: 'ann' })).toEqual({
      kind: 'requested',
      state: 'active',
    });

    const error = (await result) as TaskCancelledError;
    expect(error).toBeInstanceOf(TaskCancelledError);
    expect(error).toMatchObject({ reason: 'a wrong year', by: 'ann' });
    expect(app.get(Exports).reasons).toMatchObject([{ code: 'TASK_STREAMS_TASK_CANCELLED', by: 'ann' }]);
    expect(await client.get(ref)).toMatchObject({
      state: 'cancelled',
      failedAttempts: 0,
      cancel: { reason: 'a wrong year', by: 'ann' },
    });
  });

  it('is completed when it returns all the same', async () => {
    const { client, ref } = await running(await start(isWhole), { stubborn: true });

    await client.cancel(ref);

    expect(await client.result(ref)).toBe('done all the same');
    expect(await client.cancel(ref)).toEqual({ kind: 'already-ended', state: 'completed' });
  });

  it('hears of it with the renewal of its lease at the latest', async () => {
    const { client, ref } = await running(await start(isWhole, { timing: { promoteMs: 60_000 }, leaseMs: 600 }), {});

    await client.cancel(ref);

    await expect(client.result(ref)).rejects.toBeInstanceOf(TaskCancelledError);
  });

  it('stays cancelled when its worker stops before it hears of it', async () => {
    const prefix = `test-${randomBytes(6).toString('hex')}`;
    const app = await start(isWhole, { prefix, timing: { promoteMs: 60_000 }, shutdownTimeoutMs: 100 });
    const onlooker = (await start(isWhole, { prefix, mode: 'producer', autoStart: false })).get(TaskClient);
    const { ref } = await running(app, {});
    await onlooker.cancel(ref);

    await app.close();

    expect(app.get(Exports).reasons).toMatchObject([{ code: 'TASK_STREAMS_WORKER_STOPPING' }]);
    expect((await onlooker.get(ref))?.state).toBe('cancelled');
  });
});

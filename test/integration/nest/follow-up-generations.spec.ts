import { Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { randomBytes } from 'node:crypto';
import { expect, inject, it, onTestFinished } from 'vitest';

import {
  DeadLetterService,
  TaskClient,
  type TaskContext,
  TaskHandler,
  TaskStreamsModule,
  UnrecoverableError,
} from 'nestjs-task-streams';

@Injectable()
class Nightly {
  @TaskHandler('nightly', { queue: 'q' })
  run({ night }: { readonly night: number }, ctx: TaskContext): string {
    return ctx.enqueue('child', { night }).id;
  }

  @TaskHandler('child', { queue: 'q' })
  child(): void {
    throw new UnrecoverableError('no');
  }
}

@Module({ providers: [Nightly] })
class NightlyModule {}

it('a parent whose id is used again has children of its own, though those of the night before are dead letters', async () => {
  const tasks = TaskStreamsModule.forRoot({
    connection: { url: inject('redisUrl') },
    prefix: `test-${randomBytes(6).toString('hex')}`,
    retention: { completedMs: 300 },
    // An id is remembered at least for as long as this.
    enqueueTimeoutMs: 1_500,
    autoStart: true,
  });
  const app = await NestFactory.create({ module: NightlyModule, imports: [tasks] }, { logger: false });
  await app.init();
  onTestFinished(() => app.close());
  const client = app.get(TaskClient);
  const dead = async () => (await app.get(DeadLetterService).list('q')).letters;

  for (const night of [1, 2]) {
    const { ref, duplicate } = await client.enqueue('nightly', { night }, { id: 'nightly', queue: 'q' });
    expect(duplicate).toBe(false);
    await expect.poll(dead).toHaveLength(night);
    await expect.poll(() => client.get(ref)).toBeUndefined();
  }
  const children = await dead();
  expect(children.map(({ body }) => body)).toEqual(['{"night":1}', '{"night":2}']);
  for (const { taskId } of children) expect(taskId).toMatch(/^nightly:[0-9a-z]{8}:1$/);
});

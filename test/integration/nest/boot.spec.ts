import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { TaskClient, TaskHandler, TaskStreamsModule, type TaskStreamsOptions, TaskWorkers } from 'nestjs-task-streams';
import { describe, expect, inject, it, onTestFinished } from 'vitest';

import { askRedis } from '../../../scripts/redis/index.mjs';
import { startTestRedis } from '../../support/redis-server.js';

@Injectable()
class Handlers {
  @TaskHandler('echo', { queue: 'boot' })
  echo(payload: unknown): unknown {
    return payload;
  }
}

function moduleWith(options: TaskStreamsOptions): Type {
  @Module({ imports: [TaskStreamsModule.forRoot(options)], providers: [Handlers] })
  class App {}
  return App;
}

async function start(options: TaskStreamsOptions) {
  const app = await NestFactory.createApplicationContext(moduleWith(options), { logger: false, abortOnError: false });
  onTestFinished(() => app.close());
  return app;
}

/** Those of the server, with the one that asks. */
async function countClients(url: string): Promise<number> {
  const [list] = await askRedis(url, [['CLIENT', 'LIST']]);
  return String(list).trim().split('\n').length;
}

describe('an application at boot', () => {
  it('runs tasks in a plain context, with the right server', async () => {
    const app = await start({ connection: { url: inject('redisUrl') }, prefix: `boot-${process.pid}` });
    app.get(TaskWorkers).start();

    const { ref } = await app.get(TaskClient).enqueue('echo', { n: 1 });

    expect(await app.get(TaskClient).result(ref, { timeoutMs: 10_000 })).toEqual({ n: 1 });
  });

  it('gives its handlers nothing of what the boot keeps in an AsyncLocalStorage', async () => {
    const storage = new AsyncLocalStorage<string>();
    @Injectable()
    class Looking {
      @TaskHandler('look', { queue: 'boot' })
      look(): string {
        return storage.getStore() ?? 'nothing';
      }
    }
    const connection = { url: inject('redisUrl') };
    @Module({
      imports: [TaskStreamsModule.forRoot({ connection, prefix: `als-${process.pid}` })],
      providers: [Looking],
    })
    class App {}
    const app = await storage.run('boot', async () => {
      const context = await NestFactory.createApplicationContext(App, { logger: false });
      context.get(TaskWorkers).start();
      return context;
    });
    onTestFinished(() => app.close());
    const tasks = app.get(TaskClient);
    const { ref } = await storage.run('sender', () => tasks.enqueue('look', {}));

    expect(await tasks.result(ref, { timeoutMs: 10_000 })).toBe('nothing');
  });

  it('starts without Redis, and works when it comes', async () => {
    const server = await startTestRedis();
    onTestFinished(() => server.stop());
    await server.kill('SIGKILL');
    const app = await start({ connection: { url: server.url }, enqueueTimeoutMs: 4_000 });
    app.get(TaskWorkers).start();
    const tasks = app.get(TaskClient);
    const [sent, read] = await Promise.allSettled([tasks.enqueue('echo', 1), tasks.get({ queue: 'boot', id: 'a' })]);
    expect(sent).toMatchObject({ reason: { code: 'TASK_STREAMS_QUEUE_UNAVAILABLE' } });
    expect(read).toMatchObject({ reason: { code: 'TASK_STREAMS_REDIS_UNAVAILABLE' } });

    await server.restart();

    const { ref } = await tasks.enqueue('echo', 2);
    expect(await tasks.result(ref, { timeoutMs: 15_000 })).toBe(2);
  });

  it('fails without Redis where it is told to', async () => {
    const failing = start({ connection: { url: 'redis://127.0.0.1:1' }, onRedisDown: 'fail' });

    await expect(failing).rejects.toMatchObject({ code: 'TASK_STREAMS_REDIS_UNAVAILABLE' });
  });

  it.each([
    [{ connection: { url: 'redis://nobody:wrong@127.0.0.1:PORT' } }, [], /WRONGPASS.*Correct/],
    [{}, ['--maxmemory', '50mb', '--maxmemory-policy', 'allkeys-lru'], /allkeys-lru.*noeviction/],
  ])('fails on a server that waiting does not make usable: %j', async (options, extraArgs, message) => {
    const server = await startTestRedis({ extraArgs });
    onTestFinished(() => server.stop());
    const { url = 'redis://127.0.0.1:PORT' } =
      (options as { readonly connection?: { readonly url?: string } }).connection ?? {};

    const starting = start({ ...options, connection: { url: url.replace('PORT', String(server.port)) } });

    await expect(starting).rejects.toMatchObject({ message: expect.stringMatching(message) });
    // There is no application that could be closed: nothing of it may go on.
    await expect.poll(() => countClients(server.url)).toBe(1);
  });

  it('starts on an evicting server where it is told to', async () => {
    const server = await startTestRedis({ extraArgs: ['--maxmemory', '50mb', '--maxmemory-policy', 'allkeys-lru'] });
    onTestFinished(() => server.stop());
    const app = await start({ connection: { url: server.url }, allowEviction: true });

    expect((await app.get(TaskClient).enqueue('echo', 1)).duplicate).toBe(false);
  });
});

import { Injectable, Logger, Module, type LoggerService } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ClsService } from 'nestjs-cls';
import { Logger as PinoLogger, LoggerModule } from 'nestjs-pino';
import {
  DeadLetterService,
  OnTaskEvent,
  TaskClient,
  TaskHandler,
  TaskStreamsModule,
  TaskWorkers,
  type TaskEvent,
} from 'nestjs-task-streams';
import { describe, expect, inject, it, onTestFinished, vi } from 'vitest';

import { cls, pinoHttp, TaskLogger } from '../../../docs/examples/observability.js';
import { isOnNest11 } from '../../support/nest/nest-version.js';

@Injectable()
class Handlers {
  private readonly logger = new Logger('Shop');

  @TaskHandler('ship', { queue: 'shop', retry: { attempts: 2, backoff: [1] } })
  async ship({ fails }: { readonly fails: boolean }): Promise<void> {
    await Promise.resolve();
    this.logger.log('shipping');
    if (fails) throw new RangeError('no truck');
  }
}

@Injectable()
class Everything {
  readonly heard: TaskEvent[] = [];

  @OnTaskEvent()
  hear(event: TaskEvent): void {
    this.heard.push(event);
  }
}

@Injectable()
class Tenants {
  readonly seen: unknown[] = [];

  constructor(private readonly store: ClsService) {}

  @TaskHandler('tenant', { queue: 'shop' })
  async look(): Promise<void> {
    await Promise.resolve();
    this.seen.push(this.store.get('tenant'));
  }
}

let runs = 0;

async function start(
  imports: NonNullable<Parameters<typeof Module>[0]['imports']> = [],
  logger: LoggerService | false = false,
) {
  runs += 1;
  const tasks = TaskStreamsModule.forRoot({
    connection: { url: inject('redisUrl') },
    prefix: `events-${process.pid}-${runs}`,
    timing: { promoteMs: 20 },
    logSuccess: true,
    asyncContext: true,
    enhancers: 'all',
  });
  @Module({
    imports: [...imports, tasks],
    providers: [Handlers, Everything, ...(imports.includes(cls) ? [Tenants] : [])],
  })
  class App {}
  const app = await NestFactory.createApplicationContext(App, { logger });
  onTestFinished(() => app.close());
  app.get(TaskWorkers).start();
  return app;
}

describe('the events of a task', () => {
  it('tell its life, from the enqueue to the redrive', async () => {
    const app = await start();
    const tasks = app.get(TaskClient);
    const letters = app.get(DeadLetterService);
    const { heard } = app.get(Everything);
    await tasks.enqueue('ship', { fails: true }, { id: 'a' });
    await expect.poll(() => heard.at(-1)?.kind).toBe('dead');
    const [letter] = (await letters.list('shop')).letters;
    await letters.redrive('shop', letter?.entryId ?? '', { payload: { fails: false } });
    await expect.poll(() => heard.at(-1)?.kind).toBe('completed');

    const kinds = heard.map((event) => ('attempt' in event ? `${event.kind} ${event.attempt}` : event.kind));
    expect(kinds.filter((kind) => kind !== 'enqueued' && kind !== 'redriven')).toEqual([
      'started 1',
      'retrying 1',
      'started 2',
      'dead 2',
      'started 1',
      'completed 1',
    ]);
    expect(kinds).toContain('enqueued');
    expect(kinds).toContain('redriven');
    expect(heard.find(({ kind }) => kind === 'dead')).toMatchObject({
      queue: 'shop',
      task: 'ship',
      taskId: 'a',
      reason: 'attempts-exhausted',
      error: { name: 'RangeError', message: 'no truck' },
    });
  });
});

describe('log lines as JSON', () => {
  // The logger of Nest 11 has no `flattenParams`: it writes the fields as a line of their own.
  it.skipIf(isOnNest11)('are one for each transition, and carry the task inside the handler too', async () => {
    const written: string[] = [];
    const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => written.push(String(text)) > 0);
    const errors = vi.spyOn(process.stderr, 'write').mockImplementation((text) => written.push(String(text)) > 0);
    const lines = () =>
      written.filter((text) => text.startsWith('{')).map((text) => JSON.parse(text) as Record<string, unknown>);
    try {
      const app = await start([], new TaskLogger({ json: true, flattenParams: true }));
      const { ref } = await app.get(TaskClient).enqueue('ship', { fails: true, password: 'hush' }, { id: 'a' });
      await expect(app.get(TaskClient).result(ref)).rejects.toThrow();
      await expect.poll(() => lines().some(({ event }) => event === 'dead')).toBe(true);
    } finally {
      write.mockRestore();
      errors.mockRestore();
      Logger.overrideLogger(['log', 'error', 'warn']);
    }
    const about = lines().filter(({ taskId }) => taskId === 'a');

    expect(about.filter(({ event }) => event !== 'enqueued')).toMatchObject([
      { level: 'debug', event: 'started', task: 'ship', queue: 'shop', attempt: 1 },
      { level: 'log', message: 'shipping', context: 'Shop', task: 'ship', queue: 'shop', attempt: 1 },
      { level: 'warn', event: 'retrying', attempt: 1, errorType: 'RangeError' },
      { level: 'debug', event: 'started', attempt: 2 },
      { level: 'log', message: 'shipping', attempt: 2 },
      { level: 'error', event: 'dead', attempt: 2, reason: 'attempts-exhausted' },
    ]);
    expect(about.filter(({ event }) => event === 'enqueued')).toHaveLength(1);
    expect(about.at(-1)?.['stack']).toContain('no truck');
    expect(written.join('')).not.toContain('hush');
  });
});

describe('nestjs-pino', () => {
  it('writes the fields of each transition, and the task in the lines of the handler', async () => {
    const lines: Record<string, unknown>[] = [];
    const stream = { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) };
    const app = await start([LoggerModule.forRoot({ pinoHttp: [{ ...pinoHttp, level: 'debug' }, stream] })]);
    onTestFinished(() => Logger.overrideLogger(['log', 'error', 'warn']));
    app.useLogger(app.get(PinoLogger));
    const { ref } = await app.get(TaskClient).enqueue('ship', { fails: true, password: 'hush' }, { id: 'a' });
    await expect(app.get(TaskClient).result(ref)).rejects.toThrow();
    await expect.poll(() => lines.some(({ event }) => event === 'dead')).toBe(true);
    const about = lines.filter(({ taskId, event }) => taskId === 'a' && event !== 'enqueued');

    expect(about).toMatchObject([
      { level: 20, event: 'started', context: 'TaskWorker', task: 'ship', queue: 'shop', attempt: 1 },
      { level: 30, msg: 'shipping', context: 'Shop', task: 'ship', queue: 'shop', attempt: 1 },
      { level: 40, event: 'retrying', attempt: 1, errorType: 'RangeError' },
      { level: 20, event: 'started', attempt: 2 },
      { level: 30, msg: 'shipping', attempt: 2 },
      { level: 50, event: 'dead', attempt: 2, stack: expect.stringContaining('no truck') as string },
    ]);
    expect(JSON.stringify(lines)).not.toContain('hush');
  });
});

describe('nestjs-cls', () => {
  it('follows a task into its handler', async () => {
    const app = await start([cls]);
    const { ref } = await app.get(TaskClient).enqueue('tenant', {}, { headers: { tenant: 'acme' } });
    await app.get(TaskClient).result(ref);

    expect(app.get(Tenants).seen).toEqual(['acme']);
  });
});

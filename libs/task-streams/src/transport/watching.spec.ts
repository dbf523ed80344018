import { Injectable, Logger, type LoggerService } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { startTaskApp, useWholePipeline, type TaskAppInput } from '../../../../test/support/nest/task-app.js';
import { TASK_ERROR_REPORTER, type FailedAttempt } from '../contracts/task-error-reporter.interface.js';
import { PRODUCER_EVENTS, WORKER_EVENTS } from '../watch/event-sources.interface.js';
import type { ProducerObserver } from '../watch/producer-observer.interface.js';
import type { TaskEvent, TaskEventOf } from '../watch/task-event.interface.js';
import type { WorkerEvent, WorkerObserver } from '../watch/worker-observer.interface.js';
import { currentTask, taskLogFields } from '../pipeline/current-task.js';
import { DeadLetterError, RetryLaterError } from '../task/handler-errors.js';
import { deliveryOf } from '../../../../test/support/nest/deliveries.js';
import { NestTaskExecutor } from './nest-task-executor.js';
import { OnTaskEvent } from '../handlers/on-task-event.decorator.js';
import { StallWatch } from '../watch/stall-watch.js';
import { TaskHandler } from '../handlers/task-handler.decorator.js';

const thrown = new TypeError('the very object');
const seen: unknown[] = [];

@Injectable()
class Handlers {
  @TaskHandler('fails', { retry: { attempts: 3 } })
  fails(): never {
    throw thrown;
  }

  @TaskHandler('fails.here', { retry: { attempts: 3, immediateRetries: 2 } })
  failsHere(): never {
    throw thrown;
  }

  @TaskHandler('later')
  later(): never {
    throw new RetryLaterError({ delayMs: 5 });
  }

  @TaskHandler('gives.up')
  givesUp(): never {
    throw new DeadLetterError('no', { field: 'x', password: 'hush', nested: { apiToken: 'hush' } });
  }

  @TaskHandler('looks')
  async looks(): Promise<void> {
    await Promise.resolve();
    seen.push(currentTask()?.taskId, taskLogFields());
  }
}

const pipelines = [
  ['the short way', undefined],
  ['the long way', useWholePipeline],
] as const;

const lines: unknown[][] = [];
const recorder = Object.fromEntries(
  ['log', 'warn', 'error', 'debug'].map((level) => [level, (...line: unknown[]) => lines.push([level, ...line])]),
) as unknown as LoggerService;

beforeEach(() => {
  seen.length = 0;
  lines.length = 0;
});

afterEach(() => Logger.overrideLogger(['log', 'error', 'warn']));

async function start(input: TaskAppInput) {
  const started = await startTaskApp({ providers: [Handlers], ...input });
  onTestFinished(() => started.app.close());
  return started;
}

describe.each(pipelines)('an error reporter, by %s', (_, configure) => {
  const reports: { error: unknown; attempt: FailedAttempt }[] = [];
  const reporter = { report: (error: unknown, attempt: FailedAttempt) => void reports.push({ error, attempt }) };
  const withReporter = (useValue: unknown = reporter): TaskAppInput => ({
    extras: { providers: [{ provide: TASK_ERROR_REPORTER, useValue }] },
    ...(configure ? { configure } : {}),
  });

  beforeEach(() => {
    reports.length = 0;
  });

  it('gets the error as it was thrown, and whether it was the last attempt', async () => {
    const { run } = await start(withReporter());
    await run({ name: 'fails', taskId: 'a' });
    await run({ name: 'fails', taskId: 'a', meta: { failedAttempts: 2 } });

    expect(reports.map(({ error }) => error === thrown)).toEqual([true, true]);
    expect(reports.map(({ attempt }) => attempt)).toMatchObject([
      { task: 'fails', taskId: 'a', attempt: 1, isLastAttempt: false, reason: undefined },
      { attempt: 3, isLastAttempt: true, reason: 'attempts-exhausted', nextDelayMs: undefined },
    ]);
  });

  it('hears of an attempt once, however often it ran', async () => {
    const { run } = await start(withReporter());
    await run({ name: 'fails.here' });

    expect(reports.map(({ attempt }) => attempt.attempt)).toEqual([1]);
  });

  it('hears of a timeout once, whatever the handler does afterwards', async () => {
    const { app } = await start(withReporter());
    const task = app.get(NestTaskExecutor).execute(deliveryOf({ name: 'fails' }));
    task.timeOut();
    await task.outcome;

    expect(reports).toMatchObject([{ error: { name: 'TaskTimeoutError' }, attempt: { attempt: 1 } }]);
  });

  it('hears nothing of a task that is only put off', async () => {
    const { run } = await start(withReporter());
    await run({ name: 'later' });

    expect(reports).toEqual([]);
  });

  it('changes nothing when it fails, and is logged', async () => {
    const report = [
      () => {
        throw new Error('reporter down');
      },
      () => Promise.reject(new Error('reporter down')),
    ];
    for (const fails of report) {
      const { run } = await start(withReporter({ report: fails }));
      Logger.overrideLogger(recorder);
      expect((await run({ name: 'fails' })).kind).toBe('retry');
      await expect
        .poll(() => lines.filter(([, text]) => String(text).includes('error reporter failed')))
        .toHaveLength(1);
      lines.length = 0;
    }
  });
});

describe('secrets', () => {
  it('are replaced in the details of a dead letter', async () => {
    const { run } = await start({ options: { redact: ['field'] } });
    const outcome = await run({ name: 'gives.up' });

    expect(outcome).toMatchObject({
      info: { error: { details: { field: '[redacted]', password: '[redacted]', nested: { apiToken: '[redacted]' } } } },
    });
  });
});

describe.each(pipelines)('the current task, by %s', (_, configure) => {
  it('is known inside the handler with asyncContext', async () => {
    const { run } = await start({ options: { asyncContext: true }, ...(configure ? { configure } : {}) });
    await run({ name: 'looks', taskId: 'a' });

    expect(seen).toEqual(['a', { taskId: 'a', task: 'looks', queue: 'default', attempt: 1 }]);
    expect(currentTask()).toBeUndefined();
  });

  it('is not followed without it', async () => {
    const { run } = await start(configure ? { configure } : {});
    await run({ name: 'looks' });

    expect(seen).toEqual([undefined, {}]);
  });
});

@Injectable()
class Listeners {
  readonly heard: TaskEvent[] = [];

  @OnTaskEvent('completed', { queue: 'mail' })
  mail(event: TaskEventOf<'completed'>): void {
    this.heard.push(event);
  }

  @OnTaskEvent(['started', 'completed'], { task: 'other' })
  other(event: TaskEventOf<'started' | 'completed'>): void {
    this.heard.push(event);
  }

  @OnTaskEvent('lease-lost')
  throws(): void {
    throw new Error('listener down');
  }

  @OnTaskEvent('lease-lost')
  async rejects(): Promise<void> {
    throw new Error('listener down');
  }
}

describe('listeners', () => {
  const settled = (delivery: WorkerEvent & { kind: 'started' }): WorkerEvent => ({
    kind: 'settled',
    delivery: delivery.delivery,
    outcome: {
      kind: 'complete',
      result: { kind: 'omitted', reason: 'off' },
      key: undefined,
      followUps: [],
      replayed: false,
    },
    reply: { kind: 'done' },
    durationMs: 5,
  });

  it('hear what they asked for and no more', async () => {
    const { app } = await start({ providers: [Listeners] });
    const events = app.get<WorkerObserver>(WORKER_EVENTS);
    for (const [queue, name] of [
      ['mail', 'welcome'],
      ['shop', 'other'],
      ['shop', 'third'],
    ] as const) {
      const started = { kind: 'started', delivery: deliveryOf({ queue, name, entryId: '1900-0' }) } as const;
      events.observe(started);
      events.observe(settled(started));
    }

    const { heard } = app.get(Listeners);
    await expect.poll(() => heard).toHaveLength(3);
    expect(heard).toMatchObject([
      { kind: 'completed', queue: 'mail', task: 'welcome', attempt: 1, durationMs: 5, isReplay: false },
      { kind: 'started', task: 'other', waitMs: 100 },
      { kind: 'completed', task: 'other' },
    ]);
  });

  it('that fail are logged by name', async () => {
    const { app } = await start({ providers: [Listeners] });
    Logger.overrideLogger(recorder);
    app.get<WorkerObserver>(WORKER_EVENTS).observe({ kind: 'lease-lost', delivery: deliveryOf({}) });

    await expect
      .poll(() => lines.map(([, text]) => text))
      .toEqual(
        expect.arrayContaining([
          'The listener Listeners.throws failed at "lease-lost"; the task is not changed by it',
          'The listener Listeners.rejects failed at "lease-lost"; the task is not changed by it',
        ]),
      );
  });

  it('cost a sender nothing where there are none', async () => {
    const { app } = await start({ providers: [Listeners] });
    expect(app.get<ProducerObserver>(PRODUCER_EVENTS).isWatched).toBe(false);
  });

  it('are refused for a kind that is not known', () => {
    expect(() => OnTaskEvent('died' as never)).toThrow('give one of enqueued');
  });
});

describe('StallWatch', () => {
  it('tells how long the loop stood still', async () => {
    const stalls: number[] = [];
    const watch = new StallWatch((ms) => stalls.push(ms));
    onTestFinished(() => watch.stop());
    const end = performance.now() + 1_700;
    while (performance.now() < end);

    await expect.poll(() => stalls).toHaveLength(1);
    expect(stalls[0]).toBeGreaterThan(1_000);
  });
});

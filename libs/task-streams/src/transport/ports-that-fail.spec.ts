import { EmptyError } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { deliveryOf } from '../../../../test/support/nest/deliveries.js';
import { PIPELINES, startOneHandler } from '../../../../test/support/nest/one-handler.js';
import type { TaskApp } from '../../../../test/support/nest/task-app.js';
import type { ProcessedEnd, TaskTracing } from '../contracts/task-tracing.interface.js';
import { TASK_ERROR_REPORTER } from '../contracts/task-error-reporter.interface.js';
import { TASK_TRACING } from '../contracts/task-tracing.interface.js';
import { DEAD_LETTER_SINK, ERROR_CLASSIFIER, IDEMPOTENCY_STORE, RANDOM } from '../contracts/tokens.js';
import type { TaskHandlerOptions } from '../options/handler-options.js';
import { UnrecoverableError } from '../task/handler-errors.js';
import type { TaskOutcome } from '../task/task-outcome.js';
import { WorkerStoppingError } from '../task/worker-errors.js';
import { NestTaskExecutor } from './nest-task-executor.js';
import { ProcessingHooks } from './processing-hooks.js';
import { WorkerEvents } from '../watch/worker-events.js';

const unhandled: unknown[] = [];
const note = (reason: unknown): void => void unhandled.push(reason);
let running: TaskApp | undefined;

beforeEach(() => {
  unhandled.length = 0;
  process.on('unhandledRejection', note);
});

afterEach(async () => {
  await running?.app.close();
  running = undefined;
  // Node tells of a rejection that nobody has heard before the next turn.
  await new Promise(setImmediate);
  process.off('unhandledRejection', note);
  expect(unhandled).toEqual([]);
});

interface Case {
  readonly provide: symbol;
  readonly port: unknown;
  readonly fails?: boolean;
  readonly handler?: TaskHandlerOptions;
  readonly pipeline?: (typeof PIPELINES)[number][1];
}

let runs = 0;

async function start({ provide, port, fails = false, handler = {}, pipeline = {} }: Case): Promise<TaskApp> {
  runs = 0;
  running = await startOneHandler({
    pipeline,
    handler,
    run: () => {
      runs += 1;
      if (fails) throw new Error('the handler failed');
      return 'done';
    },
    extras: { providers: [{ provide, useValue: port }] },
  });
  return running;
}

const boom = (): never => {
  throw new Error('boom');
};
const rejects = (): Promise<never> => Promise.reject(new Error('boom'));
const hangs = (): Promise<never> => new Promise(() => undefined);
type Run = () => Promise<ProcessedEnd>;

const PLAIN: TaskTracing = {
  send: (_task, append) => append({}),
  sendMany: (tasks, append) => append(tasks.map(() => ({}))),
  create: () => ({}),
  process: (_task, run) => run(),
  giveUp: () => undefined,
  redrive: (_task, send) => send(),
  redriveMany: (_tasks, send) => send(),
  traceOf: () => undefined,
};

const broken: readonly [string, (task: unknown, run: Run) => unknown][] = [
  ['throws at once', boom],
  ['rejects at once', rejects],
  ['never runs what it was given', hangs],
  ['answers without running', () => undefined],
  ['throws after it has run', (_task, run) => (void run(), boom())],
  ['rejects after it has run', (_task, run) => run().then(boom)],
  ['hangs after it has run', (_task, run) => run().then(hangs)],
  ['answers something else', (_task, run) => run().then(() => ({ outcome: { kind: 'release' } }))],
  ['runs twice', (_task, run) => run().then(run)],
];

describe.each(PIPELINES)('a TASK_TRACING in %s', (_name, pipeline) => {
  it.each(broken)('whose process %s changes nothing about the task', async (_what, process) => {
    const port = { ...PLAIN, process };
    const { run } = await start({ provide: TASK_TRACING, port, pipeline });
    expect(await run()).toMatchObject({ kind: 'complete', result: { json: '"done"' } });
    expect(runs).toBe(1);
  });

  it('whose giveUp throws does not keep a timeout from being settled', async () => {
    const port = { ...PLAIN, giveUp: boom };
    const { app } = await start({ provide: TASK_TRACING, port, pipeline, handler: { timeoutMs: 50 } });
    const task = app.get(NestTaskExecutor).execute(deliveryOf());
    expect(task.timeOut()).toMatchObject({ kind: 'retry' });
    await task.outcome;
  });
});

describe.each(PIPELINES)('an IDEMPOTENCY_STORE of its own in %s', (_name, pipeline) => {
  describe.each([
    ['with retries', {}, (error: object) => ({ kind: 'retry', error })],
    ['without retries', { retry: false }, (error: object) => ({ kind: 'dead-letter', info: { error } })],
  ] as const)('%s', (_with, handler, failure) => {
    const storeThat = (commit: () => Promise<void>, calls: string[] = []) => ({
      settlesWithTask: false,
      claim: async () => ({ kind: 'won' }),
      commit,
      release: async () => void calls.push('release'),
    });

    it('that commits completes the task', async () => {
      const port = storeThat(async () => undefined);
      const { run } = await start({ provide: IDEMPOTENCY_STORE, port, handler, pipeline });
      expect(await run()).toMatchObject({ kind: 'complete', result: { json: '"done"' } });
    });

    // Nest ends a pipeline without a value by an EmptyError, which is none after the handler has returned.
    it.each([new Error('boom'), new EmptyError()])('that cannot commit makes a failed attempt: %s', async (error) => {
      const calls: string[] = [];
      const port = storeThat(async () => {
        throw error;
      }, calls);
      const { run } = await start({ provide: IDEMPOTENCY_STORE, port, handler, pipeline });
      expect(await run()).toMatchObject(failure({ name: error.name }));
      expect(calls).toEqual(['release']);
    });

    it('whose release hangs until the worker stops has the failure of the handler counted', async () => {
      let open = (): void => undefined;
      let released = (): void => undefined;
      const isReleased = new Promise<void>((resolve) => (released = resolve));
      const release = () => (released(), new Promise<void>((resolve) => (open = resolve)));
      const port = { ...storeThat(async () => undefined), release };
      const { app } = await start({ provide: IDEMPOTENCY_STORE, port, fails: true, handler, pipeline });
      const task = app.get(NestTaskExecutor).execute(deliveryOf());
      await isReleased;
      task.abort(new WorkerStoppingError(10));
      open();
      expect(await task.outcome).toMatchObject(failure({ message: 'the handler failed' }));
    });
  });
});

describe('an ErrorClassifier', () => {
  const answers: readonly [string, unknown][] = [
    ['nothing', undefined],
    ['text', 'retryable'],
    ['a kind that is none', { kind: 'whatever' }],
    ['a promise', Promise.resolve({ kind: 'retryable' })],
    ['a reason that is none', { kind: 'final', reason: 'whim' }],
    ['a delay of NaN', { kind: 'defer', delayMs: Number.NaN }],
    ['a delay below 0', { kind: 'defer', delayMs: -1 }],
    ['a delay of Infinity', { kind: 'defer', delayMs: Infinity }],
    ['a delay as text', { kind: 'defer', delayMs: '5' }],
    ['no delay', { kind: 'defer' }],
  ];

  it.each(answers)('that answers %s: the error counts as a failed attempt', async (_what, answer) => {
    const { run } = await start({ provide: ERROR_CLASSIFIER, port: { classify: () => answer }, fails: true });
    expect(await run()).toMatchObject({ kind: 'retry', meta: { failedAttempts: 1 } });
  });

  it.each([
    ['throws', boom],
    ['rejects', rejects],
  ])('that %s: the error counts as a failed attempt', async (_what, classify) => {
    const { run } = await start({ provide: ERROR_CLASSIFIER, port: { classify }, fails: true });
    expect(await run()).toMatchObject({ kind: 'retry', meta: { failedAttempts: 1 } });
  });

  it('may put a task off for part of a millisecond', async () => {
    const classify = () => ({ kind: 'defer', delayMs: 0.5 });
    const { run } = await start({ provide: ERROR_CLASSIFIER, port: { classify }, fails: true });
    expect(await run()).toMatchObject({ kind: 'defer', delayMs: 1 });
  });
});

describe('RANDOM', () => {
  it.each<[string, () => unknown]>([
    ['throws', boom],
    ['answers NaN', () => Number.NaN],
    ['answers 7', () => 7],
    ['answers -1', () => -1],
    ['answers nothing', () => undefined],
  ])('that %s gives a backoff in its bounds all the same', async (_what, random) => {
    const { run } = await start({ provide: RANDOM, port: random, fails: true });
    const outcome = (await run()) as Extract<TaskOutcome, { kind: 'retry' }>;
    expect(outcome.kind).toBe('retry');
    expect(outcome.delayMs).toBeGreaterThanOrEqual(1000);
    expect(outcome.delayMs).toBeLessThanOrEqual(2000);
  });
});

describe('a function of the options', () => {
  const retry = (retries: object): TaskHandlerOptions => ({ retry: retries });
  it.each<[string, TaskHandlerOptions]>([
    ['retryIf', retry({ retryIf: rejects })],
    ['isFailure', retry({ isFailure: rejects })],
    ['backoff', retry({ backoff: rejects })],
  ])('%s that answers a promise: a failed attempt, by the default backoff', async (_what, handler) => {
    const { run } = await start({ provide: RANDOM, port: () => 0, fails: true, handler });
    expect(await run()).toMatchObject({ kind: 'retry', delayMs: 1000 });
  });

  it('idempotency.key that answers a promise: a dead letter that says so', async () => {
    const handler = { idempotency: { key: rejects } } as unknown as TaskHandlerOptions;
    const { run } = await start({ provide: RANDOM, port: () => 0, handler });
    expect(await run()).toMatchObject({ kind: 'dead-letter', info: { error: { message: /promise/ } } });
  });
});

describe('a TASK_ERROR_REPORTER', () => {
  it.each<[string, () => unknown]>([
    ['throws', boom],
    ['rejects', rejects],
    ['hangs', hangs],
    // oxlint-disable-next-line unicorn/no-thenable -- what a reporter of somebody may be
    ['answers a thenable that throws', () => ({ then: boom })],
  ])('that %s changes nothing', async (_what, report) => {
    const { run } = await start({ provide: TASK_ERROR_REPORTER, port: { report }, fails: true });
    expect(await run()).toMatchObject({ kind: 'retry' });
  });
});

describe('a dead-letter sink that hangs', () => {
  const sink = { replacesStream: true, take: hangs };

  it('does not change the reason of a letter when the time of the attempt is over', async () => {
    running = await startOneHandler({
      pipeline: {},
      handler: { timeoutMs: 50 },
      run: () => {
        throw new UnrecoverableError('no such account');
      },
      extras: { providers: [{ provide: DEAD_LETTER_SINK, useValue: sink }] },
    });
    const task = running.app.get(NestTaskExecutor).execute(deliveryOf());
    await new Promise(setImmediate);
    expect(task.timeOut()).toMatchObject({ kind: 'dead-letter', keep: true, info: { reason: 'non-retryable' } });
  });
});

describe('listeners and hooks', () => {
  it('that reject disturb nobody', async () => {
    const events = new WorkerEvents();
    events.listen({ hears: () => true, tell: rejects as unknown as () => void });
    events.on('payload-deleted', rejects as unknown as () => void);
    events.observe({ kind: 'payload-deleted', queue: 'q', count: 1 });
    const { app, run } = await start({ provide: RANDOM, port: () => 0 });
    app.get(ProcessingHooks).end = rejects as unknown as () => void;
    expect(await run()).toMatchObject({ kind: 'complete' });
  });

  it('a processing start hook that rejects is a failed attempt', async () => {
    const { app, run } = await start({ provide: RANDOM, port: () => 0 });
    app.get(ProcessingHooks).start = rejects as unknown as () => void;
    expect(await run()).toMatchObject({ kind: 'retry', error: { message: 'boom' } });
    expect(runs).toBe(0);
  });
});

import { HealthIndicatorService, type HealthIndicatorResult } from '@nestjs/terminus';
import { describe, expect, it, vi } from 'vitest';
import type { QueueReport } from '../contracts/queue-store.interface.js';
import { resolveOptions } from '../options/resolve-options.js';
import { replyError } from '../policy/redis-error.js';
import type { TaskStreamsMode } from '../options/task-streams-options.js';
import type { QueueLoopStatus, WorkerStatus } from '../worker/worker-status.js';
import type { ObservedStores } from '../operate/state-reader.js';
import { TaskStreamsHealthIndicator } from './task-streams.health.js';

const REPORT: QueueReport = {
  ...{ waiting: 3, active: 1, delayed: 0, dead: 2, oldestWaitingMs: 500 },
  ...{ liveConsumers: 2, staleConsumers: 1, lag: 3, oldestPendingIdleMs: 10, oldestDeadMs: 20, foreignGroups: 0 },
};
const SERVER = {
  version: '7.2.0',
  kind: 'redis',
  persistence: 'none',
  evictionPolicy: 'noeviction',
  maxMemoryBytes: 0,
  capabilities: [],
  unanswered: [],
} as const;

function loopOf(status: Partial<QueueLoopStatus> = {}): QueueLoopStatus {
  const base = {
    queue: 'mail',
    concurrency: 1,
    runningCount: 0,
    abandonedCount: 0,
    stuckCount: 0,
    heldSuspectCount: 0,
    runningSuspectCount: 0,
    isPaused: false,
    sinceLastTurnMs: 0,
    sinceLastFetchMs: 0,
  };
  return { ...base, lastError: undefined, troubles: [], ...status };
}

interface Setup {
  readonly mode?: TaskStreamsMode;
  readonly status?: WorkerStatus;
  readonly hasHandlers?: boolean;
  readonly broker?: { readonly [K in keyof ObservedStores]?: Partial<ObservedStores[K]> };
}

function indicatorOf({
  mode = 'both',
  status,
  hasHandlers = true,
  broker = {},
}: Setup = {}): TaskStreamsHealthIndicator {
  const pool = { status: (): WorkerStatus => status ?? { state: 'running', queues: [loopOf()] } };
  const inspector = {
    server: { report: async () => SERVER, checkWrites: async () => {}, ...broker.server },
    queues: { inspect: async () => REPORT, ...broker.queues },
  };
  const handlers = { hasHandlers, queues: ['mail'] };
  return new TaskStreamsHealthIndicator(
    new HealthIndicatorService(),
    resolveOptions({ mode }),
    pool,
    handlers,
    inspector,
  );
}

/** A terminus that does not know `degraded` says `up`, with the condition beside it. */
function conditionOf({ tasks }: HealthIndicatorResult<'tasks'>): string {
  return String(tasks['condition'] ?? tasks.status);
}

describe('isLive', () => {
  it('is up while the loops turn, whatever Redis does', async () => {
    const status: WorkerStatus = {
      state: 'running',
      queues: [loopOf({ lastError: 'ECONNREFUSED', sinceLastFetchMs: 1e9 })],
    };
    expect(await indicatorOf({ status }).isLive('tasks')).toMatchObject({ tasks: { status: 'up' } });
  });

  it('is down when a loop hangs', async () => {
    const status: WorkerStatus = {
      state: 'running',
      queues: [loopOf(), loopOf({ queue: 'slow', sinceLastTurnMs: 60_000 })],
    };
    expect(await indicatorOf({ status }).isLive('tasks')).toMatchObject({
      tasks: { status: 'down', problems: ['the loop of queue "slow" has not turned for 60000 ms'] },
    });
  });

  it('is down when as many handlers are stuck as may run at once, and not before', async () => {
    const statusOf = (stuckCount: number): WorkerStatus => ({
      state: 'running',
      queues: [loopOf({ concurrency: 2, abandonedCount: 5, stuckCount })],
    });
    expect(await indicatorOf({ status: statusOf(1) }).isLive('tasks')).toMatchObject({ tasks: { status: 'up' } });
    expect(await indicatorOf({ status: statusOf(2) }).isLive('tasks')).toMatchObject({
      tasks: { status: 'down', problems: [expect.stringContaining('2 handlers ignore their abort signal')] },
    });
  });

  it.each(['idle', 'draining', 'stopped'] as const)('is up while the workers are %s', async (state) => {
    const status: WorkerStatus = { state, queues: [loopOf({ sinceLastTurnMs: 1e9 })] };
    expect(await indicatorOf({ status }).isLive('tasks')).toMatchObject({ tasks: { status: 'up' } });
  });
});

describe('isReady', () => {
  it('is up and shows queues, persistence and eviction', async () => {
    expect(await indicatorOf().isReady('tasks')).toEqual({
      tasks: {
        status: 'up',
        mode: 'both',
        workers: 'running',
        server: SERVER,
        durability: 'a crash of Redis loses what came since its last snapshot',
        queues: { mail: REPORT },
      },
    });
  });

  it.each([
    [{ maxOldestWaitingMs: 499 }, /oldest task has waited 500 ms, more than 499/],
    [{ maxWaiting: 2 }, /3 tasks wait, more than 2/],
    [{ maxDead: 1 }, /2 dead letters, more than 1/],
    [{ minConsumers: 3 }, /2 workers were heard of within the lease, fewer than 3/],
  ])('is down beyond %j', async (thresholds, problem) => {
    const { tasks } = await indicatorOf().isReady('tasks', thresholds);
    expect(tasks).toMatchObject({ status: 'down', problems: [expect.stringMatching(problem)] });
    expect(
      await indicatorOf().isReady('tasks', { maxOldestWaitingMs: 500, maxWaiting: 3, maxDead: 2, minConsumers: 2 }),
    ).toMatchObject({
      tasks: { status: 'up' },
    });
  });

  it('is down when Redis refuses, without throwing', async () => {
    const broker = { server: { report: () => Promise.reject(new Error('connect ECONNREFUSED')) } };
    expect(await indicatorOf({ broker }).isReady('tasks')).toMatchObject({
      tasks: { status: 'down', problems: ['Redis cannot be used: connect ECONNREFUSED'] },
    });
  });

  it('is down when Redis does not answer within a second', async () => {
    vi.useFakeTimers();
    const answer = indicatorOf({ broker: { server: { report: () => new Promise(() => undefined) } } }).isReady('tasks');
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await answer).toMatchObject({
      tasks: { status: 'down', problems: [expect.stringContaining('longer than 1000 ms')] },
    });
    vi.useRealTimers();
  });

  it.each([
    ['allkeys-lru', 1_000, 'degraded'],
    ['volatile-ttl', 1_000, 'degraded'],
    ['allkeys-lru', 0, 'up'],
    ['noeviction', 1_000, 'up'],
  ] as const)('with maxmemory-policy %s and maxmemory %i is %s', async (evictionPolicy, maxMemoryBytes, expected) => {
    const broker = { server: { report: async () => ({ ...SERVER, evictionPolicy, maxMemoryBytes }) } };
    expect(conditionOf(await indicatorOf({ broker }).isReady('tasks'))).toBe(expected);
  });

  it.each([
    ['LOADING Redis is loading', 9_000, 'up'],
    ['LOADING Redis is loading', 10_000, 'degraded'],
    ['LOADING Redis is loading', 60_000, 'down'],
    ["READONLY You can't write", 0, 'degraded'],
    ['OOM command not allowed', 1e9, 'degraded'],
    ['NOPERM this user has no permissions', 0, 'down'],
    ['WRONGTYPE Operation against a key', 0, 'down'],
    ['ERR something nobody has heard of', 0, 'degraded'],
    ['ERR something nobody has heard of', 60_000, 'down'],
  ] as const)('with a fetch that fails with %s for %i ms is %s', async (reply, sinceMs, expected) => {
    const troubles = [{ operation: 'fetch', error: replyError(reply), sinceMs }];
    const status: WorkerStatus = { state: 'running', queues: [loopOf({ troubles, sinceLastFetchMs: sinceMs })] };
    const result = await indicatorOf({ status }).isReady('tasks');
    expect(conditionOf(result)).toBe(expected);
    if (expected !== 'up') expect(result.tasks['problems']).toEqual([expect.stringContaining(reply)]);
  });

  it('judges a Redis that cannot be asked by what it answers and for how long', async () => {
    vi.useFakeTimers();
    const broker = { server: { report: () => Promise.reject(replyError('BUSY Redis is busy running a script')) } };
    const indicator = indicatorOf({ broker });
    const seen: string[] = [];
    for (const waitMs of [0, 9_000, 2_000, 50_000]) {
      await vi.advanceTimersByTimeAsync(waitMs);
      seen.push(conditionOf(await indicator.isReady('tasks')));
    }
    expect(seen).toEqual(['up', 'up', 'degraded', 'down']);
    vi.useRealTimers();
  });

  it.each([
    ['both', true, 'down'],
    ['both', false, 'up'],
    ['producer', true, 'up'],
  ] as const)('with idle workers in mode %s, handlers: %s, is %s', async (mode, hasHandlers, expected) => {
    const status: WorkerStatus = { state: 'idle', queues: [] };
    expect(await indicatorOf({ mode, hasHandlers, status }).isReady('tasks')).toMatchObject({
      tasks: { status: expected },
    });
  });

  it('is degraded by a stuck handler, and is down when as many are stuck as may run at once', async () => {
    const statusOf = (stuckCount: number): WorkerStatus => ({
      state: 'running',
      queues: [loopOf({ concurrency: 2, stuckCount })],
    });
    const message = expect.stringContaining('ignore their abort signal') as string;
    const degraded = await indicatorOf({ status: statusOf(1) }).isReady('tasks');
    expect(conditionOf(degraded)).toBe('degraded');
    expect(degraded.tasks).toMatchObject({ problems: [message] });
    const { tasks: down } = await indicatorOf({ status: statusOf(2) }).isReady('tasks');
    expect(down).toMatchObject({ status: 'down', problems: [message] });
  });

  it('is degraded, and says why, while tasks that may kill the process wait or run', async () => {
    const status: WorkerStatus = {
      state: 'running',
      queues: [loopOf({ heldSuspectCount: 2, runningSuspectCount: 1 })],
    };
    const degraded = await indicatorOf({ status }).isReady('tasks');
    expect(conditionOf(degraded)).toBe('degraded');
    expect(degraded.tasks).toMatchObject({ problems: [expect.stringContaining('1 run and 2 wait for their turn')] });
    expect(await indicatorOf({ status }).isLive('tasks')).toMatchObject({ tasks: { status: 'up' } });
  });

  it('is down while the workers drain', async () => {
    const status: WorkerStatus = { state: 'draining', queues: [] };
    expect(await indicatorOf({ status }).isReady('tasks')).toMatchObject({
      tasks: { status: 'down', problems: ['the workers are draining'] },
    });
  });

  it('shows that a queue is paused, and does not mind that its tasks wait', async () => {
    const paused = { at: 1, by: 'ann', reason: 'the bank is closed' };
    const broker = { queues: { inspect: async () => ({ ...REPORT, paused }) } };

    expect(await indicatorOf({ broker }).isReady('tasks', { maxOldestWaitingMs: 1, maxWaiting: 0 })).toMatchObject({
      tasks: { status: 'up', queues: { mail: { paused } } },
    });
  });

  it('is degraded by consumer groups of other programs, beside what the thresholds say', async () => {
    const broker = { queues: { inspect: async () => ({ ...REPORT, foreignGroups: 2 }) } };
    const degraded = await indicatorOf({ broker }).isReady('tasks');
    expect(conditionOf(degraded)).toBe('degraded');
    const foreign = expect.stringMatching(/^queue "mail": .*other consumer groups than "workers" \(2\)/);
    expect(degraded.tasks).toMatchObject({ problems: [foreign] });
    const down = await indicatorOf({ broker }).isReady('tasks', { maxDead: 1 });
    expect(down.tasks).toMatchObject({ status: 'down', problems: [expect.stringContaining('dead letters'), foreign] });
  });

  it('is degraded by a Redis that refuses writes, and still shows the queues', async () => {
    const checkWrites = () => Promise.reject(replyError('OOM command not allowed'));
    const result = await indicatorOf({ broker: { server: { checkWrites } } }).isReady('tasks');
    expect(conditionOf(result)).toBe('degraded');
    expect(result.tasks).toMatchObject({
      problems: [expect.stringContaining('Redis refuses writes: OOM')],
      queues: { mail: REPORT },
    });
  });

  it('asks whether writes are accepted where it works on no queue, too', async () => {
    const checkWrites = vi.fn(async () => undefined);
    await indicatorOf({ mode: 'producer', broker: { server: { checkWrites } } }).isReady('tasks', { queues: [] });
    expect(checkWrites).toHaveBeenCalledTimes(1);
  });

  it('asks Redis once a second', async () => {
    const report = vi.fn(async () => SERVER);
    const indicator = indicatorOf({ broker: { server: { report } } });
    await Promise.all([indicator.isReady('a'), indicator.isReady('b')]);
    expect(report).toHaveBeenCalledTimes(1);
  });
});

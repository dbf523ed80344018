import { HealthIndicatorService } from '@nestjs/terminus';
import { describe, expect, it, vi } from 'vitest';
import type { BrokerInspector, QueueDepth } from '../contracts/broker.interface.js';
import { resolveOptions } from '../options/resolve-options.js';
import type { TaskStreamsMode } from '../options/task-streams-options.js';
import type { QueueLoopStatus, WorkerStatus } from '../worker/worker-status.js';
import { TaskStreamsHealthIndicator } from './task-streams.health.js';

const DEPTH: QueueDepth = { waiting: 3, active: 1, delayed: 0, dead: 2, oldestWaitingMs: 500 };
const SERVER = { version: '7.2.0', kind: 'redis', persistence: 'none', evictionPolicy: 'noeviction' } as const;

function loopOf(status: Partial<QueueLoopStatus> = {}): QueueLoopStatus {
  const base = {
    queue: 'mail',
    concurrency: 1,
    runningCount: 0,
    abandonedCount: 0,
    sinceLastTurnMs: 0,
    sinceLastFetchMs: 0,
  };
  return { ...base, lastError: undefined, ...status };
}

interface Setup {
  readonly mode?: TaskStreamsMode;
  readonly status?: WorkerStatus;
  readonly hasHandlers?: boolean;
  readonly broker?: Partial<BrokerInspector>;
}

function indicatorOf({
  mode = 'both',
  status,
  hasHandlers = true,
  broker = {},
}: Setup = {}): TaskStreamsHealthIndicator {
  const pool = { status: (): WorkerStatus => status ?? { state: 'running', queues: [loopOf()] } };
  const inspector = { server: async () => SERVER, depth: async () => DEPTH, ...broker };
  const handlers = { hasHandlers, queues: ['mail'] };
  return new TaskStreamsHealthIndicator(
    new HealthIndicatorService(),
    resolveOptions({ mode }),
    pool,
    handlers,
    inspector,
  );
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

  it.each(['idle', 'draining', 'stopped'] as const)('is up while the workers are %s', async (state) => {
    const status: WorkerStatus = { state, queues: [loopOf({ sinceLastTurnMs: 1e9 })] };
    expect(await indicatorOf({ status }).isLive('tasks')).toMatchObject({ tasks: { status: 'up' } });
  });
});

describe('isReady', () => {
  it('is up and shows queues, persistence and eviction', async () => {
    expect(await indicatorOf().isReady('tasks')).toEqual({
      tasks: { status: 'up', mode: 'both', workers: 'running', server: SERVER, queues: { mail: DEPTH } },
    });
  });

  it.each([
    [{ maxOldestWaitingMs: 499 }, /oldest task has waited 500 ms, more than 499/],
    [{ maxWaiting: 2 }, /3 tasks wait, more than 2/],
    [{ maxDead: 1 }, /2 dead letters, more than 1/],
  ])('is down beyond %j', async (thresholds, problem) => {
    const { tasks } = await indicatorOf().isReady('tasks', thresholds);
    expect(tasks).toMatchObject({ status: 'down', problems: [expect.stringMatching(problem)] });
    expect(await indicatorOf().isReady('tasks', { maxOldestWaitingMs: 500, maxWaiting: 3, maxDead: 2 })).toMatchObject({
      tasks: { status: 'up' },
    });
  });

  it('is down when Redis refuses, without throwing', async () => {
    const broker = { server: () => Promise.reject(new Error('connect ECONNREFUSED')) };
    expect(await indicatorOf({ broker }).isReady('tasks')).toMatchObject({
      tasks: { status: 'down', problems: ['Redis cannot be used: connect ECONNREFUSED'] },
    });
  });

  it('is down when Redis does not answer within a second', async () => {
    vi.useFakeTimers();
    const answer = indicatorOf({ broker: { server: () => new Promise(() => undefined) } }).isReady('tasks');
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await answer).toMatchObject({
      tasks: { status: 'down', problems: [expect.stringContaining('longer than 1000 ms')] },
    });
    vi.useRealTimers();
  });

  it('is down when Redis may evict tasks', async () => {
    const broker = { server: async () => ({ ...SERVER, evictionPolicy: 'allkeys-lru' }) };
    expect(await indicatorOf({ broker }).isReady('tasks')).toMatchObject({ tasks: { status: 'down' } });
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

  it('is down while the workers drain', async () => {
    const status: WorkerStatus = { state: 'draining', queues: [] };
    expect(await indicatorOf({ status }).isReady('tasks')).toMatchObject({
      tasks: { status: 'down', problems: ['the workers are draining'] },
    });
  });

  it('asks Redis once a second', async () => {
    const server = vi.fn(async () => SERVER);
    const indicator = indicatorOf({ broker: { server } });
    await Promise.all([indicator.isReady('a'), indicator.isReady('b')]);
    expect(server).toHaveBeenCalledTimes(1);
  });
});

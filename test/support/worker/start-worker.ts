import { onTestFinished } from 'vitest';

import type { Broker } from '../../../libs/task-streams/src/contracts/broker.interface.js';
import type { WorkerEvent } from '../../../libs/task-streams/src/watch/worker-observer.interface.js';
import { resolveOptions } from '../../../libs/task-streams/src/options/resolve-options.js';
import type { TaskStreamsOptions } from '../../../libs/task-streams/src/options/task-streams-options.js';
import { WorkerPool } from '../../../libs/task-streams/src/worker/worker-pool.js';
import type { ScriptedExecutor } from './scripted-executor.js';

/** Options under which a worker is quick enough for a test. */
export const QUICK = { timing: { blockMs: 200, sweepMs: 50, promoteMs: 20 }, shutdownTimeoutMs: 300 } as const;

export interface TestWorker {
  readonly pool: WorkerPool;
  readonly events: readonly WorkerEvent[];
  /** How many events of a kind there were. */
  count(kind: WorkerEvent['kind']): number;
}

/** Starts a worker on queue `q`, or others, that is drained when the test ends. */
export function startWorker(
  broker: Broker,
  executor: ScriptedExecutor,
  options: TaskStreamsOptions = {},
  concurrency = 10,
  queues: readonly string[] = ['q'],
): TestWorker {
  const events: WorkerEvent[] = [];
  const pool = new WorkerPool({
    broker,
    executor,
    options: resolveOptions({ ...QUICK, ...options, timing: { ...QUICK.timing, ...options.timing } }),
    observer: { observe: (event) => events.push(event) },
  });
  pool.start(queues.map((name) => ({ name, concurrency })));
  onTestFinished(async () => void (await pool.drain()));
  return { pool, events, count: (kind) => events.filter((event) => event.kind === kind).length };
}

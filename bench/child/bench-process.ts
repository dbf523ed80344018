import { Redis } from 'ioredis';
import { until } from './clock.js';
import { Ledger } from './ledger.js';
import { loadSide } from './load-side.js';
import type { EndState, HandlerWork, RunPlan } from './plan.js';
import { load, produce } from './produce.js';
import type { Session, Side } from './side.js';

const QUEUE = 'bench';
/** After so many, what V8 compiles in the background no longer shows. Fewer measure the compiler, one at a time above all. */
const WARM_UP_COUNT = 10_000;
const WARM_UP_BYTES = 200_000_000;

/** What every kind of run needs: the side, a connection of its own to ask Redis, and a ledger. */
export class BenchProcess {
  readonly ledger: Ledger;

  private constructor(
    readonly plan: RunPlan,
    readonly redis: Redis,
    private readonly side: Side,
  ) {
    this.ledger = new Ledger(plan.taskCount + plan.behindCount, plan.work);
  }

  static async start(plan: RunPlan): Promise<BenchProcess> {
    return new BenchProcess(plan, new Redis(plan.port, '127.0.0.1'), await loadSide(plan.side));
  }

  /**
   * Runs tasks through a queue of their own, before anything is measured: everything is compiled and every script is
   * known by then. What it leaves in Redis is deleted by the caller.
   */
  async warmUp(): Promise<void> {
    const { payloadBytes } = this.plan;
    const count = Math.floor(Math.max(50, Math.min(WARM_UP_COUNT, WARM_UP_BYTES / payloadBytes)));
    const ledger = new Ledger(count, 'nothing');
    const queue = `warm-up-${process.pid}`;
    const session = await this.openQueue(queue, ledger);
    const isDone = ledger.reaches(count);
    if (this.plan.kind === 'produce') await produce(session, this.plan.style, count, payloadBytes);
    else await load(session, count, payloadBytes);
    session.start();
    await isDone;
    await until('The warm-up', async () => (await this.side.unfinished(this.redis, queue)) === 0, 5);
    await session.close();
  }

  /** The queue that is measured. Its worker has not begun. */
  open(): Promise<Session> {
    return this.openQueue(QUEUE, this.ledger);
  }

  /** Resolves when no task is waiting, delayed or running. For the tail of a run: it asks without a pause. */
  drained(): Promise<void> {
    return until('The end of the run', async () => (await this.unfinished()) === 0, 0);
  }

  /** The same without a clock: it leaves the server alone meanwhile. */
  finished(): Promise<void> {
    return until('The end of the run', async () => (await this.unfinished()) === 0, 20);
  }

  /** Tasks that are waiting, delayed or running. */
  unfinished(): Promise<number> {
    return this.side.unfinished(this.redis, QUEUE);
  }

  endState(): Promise<EndState> {
    return this.side.endState(this.redis, QUEUE);
  }

  private openQueue(queue: string, ledger: Ledger): Promise<Session> {
    const { port, concurrency, isKeeping, work, leaseMs } = this.plan;
    const isRetrying = isRetried(work);
    return this.side.open({ port, queue, concurrency, isKeeping, isRetrying, leaseMs, handle: ledger.handle });
  }
}

function isRetried(work: HandlerWork): boolean {
  return work === 'fail-some';
}

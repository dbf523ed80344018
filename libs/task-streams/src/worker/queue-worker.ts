import type { Broker } from '../contracts/broker.interface.js';
import type { TaskExecutor } from '../contracts/task-executor.interface.js';
import type { WorkerObserver } from '../contracts/worker-observer.interface.js';
import type { ResolvedOptions } from '../options/resolved-options.js';
import { drain } from './drain.js';
import { ErrorEpisodes } from './error-episodes.js';
import { FetchLoop } from './fetch-loop.js';
import { LeaseKeeper } from './lease-keeper.js';
import { Promoter } from './promoter.js';
import { Reclaimer } from './reclaimer.js';
import { RunRegistry } from './run-registry.js';
import { RunStarter } from './run-starter.js';
import { SettleBatcher } from './settle-batcher.js';
import type { QueueLoopStatus } from './worker-status.js';

/** A queue and how many of its tasks run at once in this process. */
export interface QueuePlan {
  readonly name: string;
  readonly concurrency: number;
}

/** What a worker is made of. */
export interface WorkerParts {
  readonly broker: Broker;
  readonly executor: TaskExecutor;
  readonly options: ResolvedOptions;
  readonly observer: WorkerObserver;
}

/** Everything that works on one queue in this process. It only joins the actors; each is a class of its own. */
export class QueueWorker {
  private readonly registry: RunRegistry;
  private readonly starter: RunStarter;
  private readonly settler: SettleBatcher;
  private readonly keeper: LeaseKeeper;
  private readonly reclaimer: Reclaimer;
  private readonly promoter: Promoter;
  private readonly loop: FetchLoop;
  private readonly episodes: ErrorEpisodes;

  constructor(
    private readonly plan: QueuePlan,
    private readonly parts: WorkerParts,
  ) {
    const { broker, executor, options, observer } = parts;
    const { name, concurrency } = plan;
    const { retention } = options;
    this.episodes = new ErrorEpisodes(name, observer);
    this.registry = new RunRegistry(concurrency);
    this.settler = new SettleBatcher(name, broker, this.episodes.of('settle'));
    this.starter = new RunStarter(this.registry, executor, this.settler, observer, {
      recordMs: retention.completedMs,
      deadRecordMs: retention.deadLettersMs,
      deadLetterMaxCount: retention.maxDeadLetters,
    });
    const onLost = this.starter.lose.bind(this.starter);
    this.keeper = new LeaseKeeper(name, broker, this.registry, options.leaseMs, onLost, this.episodes.of('renew'));
    this.reclaimer = this.createReclaimer();
    this.promoter = new Promoter(name, broker, options.promoteMs, this.episodes.of('promote'));
    this.loop = new FetchLoop(name, broker, this.registry, this.starter, this.episodes.of('fetch'));
  }

  start(): void {
    this.loop.start();
    this.keeper.start();
    this.reclaimer.start();
    this.promoter.start();
  }

  /** Stops fetching, lets running tasks end, hands the rest back. Never rejects. */
  async drain(): Promise<void> {
    await Promise.all([this.loop.stop(), this.reclaimer.stop(), this.promoter.stop()]);
    await drain(this.registry, this.starter, this.parts.options.shutdownTimeoutMs);
    await this.keeper.stop();
    this.settler.stop();
    this.starter.stopWatching();
    await this.parts.broker.leave(this.plan.name).catch(this.episodes.of('leave').failed);
  }

  status(): QueueLoopStatus {
    return {
      queue: this.plan.name,
      concurrency: this.plan.concurrency,
      runningCount: this.registry.runningCount,
      abandonedCount: this.starter.abandonedCount,
      lastError: this.episodes.lastError,
      ...this.loop.ages(),
    };
  }

  private createReclaimer(): Reclaimer {
    const { broker, options, observer } = this.parts;
    const queue = this.plan.name;
    return new Reclaimer(
      queue,
      broker,
      this.registry,
      this.keeper,
      {
        onReclaimed: (deliveries) => {
          for (const delivery of deliveries) observer.observe({ kind: 'reclaimed', delivery });
          this.starter.take(deliveries);
        },
        onDeleted: (count) => observer.observe({ kind: 'payload-deleted', queue, count }),
      },
      options.sweepMs,
      this.episodes.of('reclaim'),
    );
  }
}

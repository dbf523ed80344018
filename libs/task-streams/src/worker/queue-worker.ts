import type { ClaimReply, LookReply } from '../contracts/work-store.interface.js';
import { AbandonedRuns } from './abandoned-runs.js';
import { DeadLetterTrimmer } from './dead-letter-trimmer.js';
import { completedRecordMs } from '../options/completed-record-ms.js';
import { blockedTaskError } from '../policy/redis-error.js';
import { BlockedTasks } from './blocked-tasks.js';
import { drain } from './drain.js';
import { ErrorEpisodes, type Trouble } from './error-episodes.js';
import type { Isolation } from './isolation.js';
import { LeaseGuard } from './lease-guard.js';
import { LeaseKeeper, type LeaseListener } from './lease-keeper.js';
import { Periodic } from './periodic.js';
import { Promoter } from './promoter.js';
import { Reclaimer } from './reclaimer.js';
import { RunRegistry } from './run-registry.js';
import { RunSettler } from './run-settler.js';
import { RunStarter } from './run-starter.js';
import { SettlementQueue } from './settlement-queue.js';
import { TurnLoop } from './turn-loop.js';
import type { QueuePlan, WorkerParts } from './worker-parts.js';
import type { DrainReport, QueueLoopStatus } from './worker-status.js';

const PRUNE_INTERVAL_MS = 3_600_000;

/** Everything that works on one queue in this process. It only joins the actors; each is a class of its own. */
export class QueueWorker {
  private readonly registry: RunRegistry;
  private readonly starter: RunStarter;
  private readonly settler: RunSettler;
  private readonly settlements: SettlementQueue;
  private readonly keeper: LeaseKeeper;
  private readonly guard: LeaseGuard;
  private readonly abandoned: AbandonedRuns;
  private readonly reclaimer: Reclaimer;
  private readonly promoter: Promoter;
  private readonly pruner: Periodic;
  private readonly trimmer: DeadLetterTrimmer;
  private readonly loop: TurnLoop;
  private readonly episodes: ErrorEpisodes;
  private readonly blocked: BlockedTasks;
  /** Of due tasks that cannot be moved; the promoter itself works. */
  private readonly delayedTrouble: Trouble;

  constructor(
    private readonly plan: QueuePlan,
    private readonly parts: WorkerParts,
    isolation: Isolation,
  ) {
    const { broker, options, observer } = parts;
    const { name, concurrency } = plan;
    this.episodes = new ErrorEpisodes(name, observer);
    this.blocked = new BlockedTasks(2 * (options.leaseMs + options.timing.sweepMs), this.episodes.of('claim'));
    this.delayedTrouble = this.episodes.of('promote-task');
    this.registry = new RunRegistry(concurrency, options.crashLimit, isolation);
    this.settlements = new SettlementQueue(this.episodes.of('settle'));
    this.keeper = this.createKeeper();
    this.guard = this.createGuard();
    this.abandoned = this.createAbandonedRuns();
    this.settler = this.createSettler();
    this.starter = this.createStarter();
    this.reclaimer = this.createReclaimer();
    this.promoter = this.createPromoter();
    this.pruner = this.createPruner();
    const onDropped = (count: number) => this.tellDropped(count);
    this.trimmer = new DeadLetterTrimmer(name, broker.deadLetters, onDropped, this.episodes.of('trim'));
    this.loop = new TurnLoop(name, {
      work: broker.work,
      registry: this.registry,
      settlements: this.settlements,
      take: (claimed) => this.take(claimed),
      startBuffered: () => this.starter.startBuffered(),
      onDropped,
      trouble: this.episodes.of('fetch'),
    });
  }

  start(): void {
    this.loop.start();
    this.keeper.start();
    this.guard.start();
    this.reclaimer.start();
    this.promoter.start();
    this.pruner.start(this.parts.options.timing.sweepMs);
    this.trimmer.start(this.parts.options.timing.sweepMs);
  }

  /** Stops fetching, lets running tasks end, hands the rest back. Never rejects. */
  async drain(): Promise<DrainReport> {
    const before = this.settler.releasedCount;
    const actors = [this.loop, this.reclaimer, this.promoter, this.pruner, this.trimmer];
    await Promise.all(actors.map((actor) => actor.stop()));
    await drain(this.registry, this.starter, this.parts.options.shutdownTimeoutMs);
    const unsettledCount = this.registry.size;
    await this.keeper.stop();
    this.guard.stop();
    this.settlements.stop();
    this.starter.stopWatching();
    const trouble = this.episodes.of('leave');
    await this.parts.broker.work.leave(this.plan.name).catch((error: unknown) => trouble.failed(error));
    return { releasedCount: this.settler.releasedCount - before, unsettledCount };
  }

  status(): QueueLoopStatus {
    return {
      queue: this.plan.name,
      concurrency: this.plan.concurrency,
      runningCount: this.registry.runningCount,
      abandonedCount: this.abandoned.count,
      stuckCount: this.abandoned.stuckCount,
      heldSuspectCount: this.registry.heldCount,
      runningSuspectCount: this.registry.suspectCount,
      isPaused: this.loop.isPaused,
      lastError: this.episodes.lastError,
      troubles: this.episodes.troubles,
      ...this.loop.ages(),
    };
  }

  private createStarter(): RunStarter {
    const { broker, executor, observer } = this.parts;
    const { registry, settler, guard: leases, abandoned } = this;
    return new RunStarter({ work: broker.work, registry, executor, settler, observer, leases, abandoned });
  }

  private createSettler(): RunSettler {
    const { options, observer } = this.parts;
    const { retention } = options;
    return new RunSettler({
      registry: this.registry,
      settlements: this.settlements,
      observer,
      retention: {
        recordMs: completedRecordMs(options),
        deadRecordMs: retention.deadLettersMs,
        deadLetterMaxCount: retention.maxDeadLetters,
      },
    });
  }

  private createAbandonedRuns(): AbandonedRuns {
    const { observer, options } = this.parts;
    const { stuckAfterMs } = options.timing;
    return new AbandonedRuns(stuckAfterMs, ({ delivery }) =>
      observer.observe({ kind: 'stuck', delivery, abandonedMs: stuckAfterMs }),
    );
  }

  private take({ deliveries, blocked, sentAt }: ClaimReply): void {
    this.blocked.met(blocked);
    this.starter.take(deliveries, sentAt);
  }

  private tellDropped(count: number): void {
    this.parts.observer.observe({ kind: 'dead-letters-dropped', queue: this.plan.name, count });
  }

  /** What is asked of all workers of the queue. */
  private hear({ cancels, isPaused, blocked }: LookReply): void {
    this.loop.setPaused(isPaused);
    if (blocked === undefined) this.delayedTrouble.ended();
    else this.delayedTrouble.failed(blockedTaskError(blocked));
    for (const { entryId, request } of cancels) {
      const run = this.registry.get(entryId);
      if (run) this.starter.cancel(run, request);
    }
  }

  private createKeeper(): LeaseKeeper {
    const { broker, options } = this.parts;
    const listener: LeaseListener = {
      onLost: (run) => this.starter.lose(run),
      onCancel: (run, request) => this.starter.cancel(run, request),
    };
    const trouble = this.episodes.of('renew');
    return new LeaseKeeper(this.plan.name, broker.work, this.registry, options.leaseMs, listener, trouble);
  }

  private createPromoter(): Promoter {
    const { broker, options } = this.parts;
    const onNews = (news: LookReply) => this.hear(news);
    return new Promoter(this.plan.name, broker.work, options.timing.promoteMs, this.episodes.of('promote'), onNews);
  }

  /** Forgets the consumers of workers that were killed. */
  private createPruner(): Periodic {
    const { broker, options } = this.parts;
    return new Periodic(async () => {
      await broker.work.prune(this.plan.name, options.timing.consumerTtlMs);
      return Math.min(options.timing.consumerTtlMs, PRUNE_INTERVAL_MS);
    }, this.episodes.of('prune'));
  }

  private createGuard(): LeaseGuard {
    const { observer, options } = this.parts;
    return new LeaseGuard({
      queue: this.plan.name,
      registry: this.registry,
      keeper: this.keeper,
      leaseMs: options.leaseMs,
      observer,
      onDoubt: (run, sinceMs, why) => this.starter.doubt(run, sinceMs, why),
    });
  }

  /** What a sweep claimed whose answer was lost is looked for, too. */
  private reclaimTrouble(): Trouble {
    const trouble = this.episodes.of('reclaim');
    return {
      ended: () => trouble.ended(),
      failed: (error) => {
        trouble.failed(error);
        this.loop.lookForLost(error);
      },
    };
  }

  private createReclaimer(): Reclaimer {
    const { broker, options, observer } = this.parts;
    const queue = this.plan.name;
    return new Reclaimer({
      queue,
      work: broker.work,
      registry: this.registry,
      keeper: this.keeper,
      listener: {
        onReclaimed: (reply) => {
          this.blocked.look();
          reply.deliveries.forEach((delivery, i) => {
            observer.observe({ kind: 'reclaimed', delivery, previousOwner: reply.previousOwners[i] || undefined });
          });
          this.take(reply);
        },
        onDeleted: (count) => observer.observe({ kind: 'payload-deleted', queue, count }),
      },
      sweepMs: options.timing.sweepMs,
      isPaused: () => this.loop.isPaused,
      trouble: this.reclaimTrouble(),
    });
  }
}

import { Inject, Injectable } from '@nestjs/common';
import { HealthIndicatorService, type HealthIndicatorResult } from '@nestjs/terminus';
import { HANDLER_INDEX, type HandlerIndex } from '../contracts/handler-index.interface.js';
import { BROKER, RESOLVED_OPTIONS } from '../contracts/tokens.js';
import type { ResolvedOptions } from '../options/resolved-options.js';
import { worstOf } from '../policy/redis-reactions.js';
import { describePersistence } from '../policy/server-advice.js';
import { WorkerPool } from '../worker/worker-pool.js';
import type { ObservedStores } from '../operate/state-reader.js';
import { BrokerInspection } from './broker-inspection.js';
import {
  findInspectionProblems,
  findQueueProblems,
  findStuckProblems,
  findWorkerProblems,
  type Problem,
} from './find-problems.js';
import type { ReadinessThresholds } from './readiness-options.js';

/** A loop that has not turned for so long beyond its blocking read hangs, in milliseconds. A failed read is a turn. */
const MAX_TURN_MS = 30_000;

/**
 * Health checks for terminus. Neither of them throws: what is wrong is in the answer.
 *
 * @example
 * this.health.check([() => this.tasks.isReady('tasks', { maxOldestWaitingMs: 60_000 })])
 *
 * @publicApi
 */
@Injectable()
export class TaskStreamsHealthIndicator {
  readonly #inspection: BrokerInspection;

  constructor(
    @Inject(HealthIndicatorService) private readonly indicators: HealthIndicatorService,
    @Inject(RESOLVED_OPTIONS) private readonly options: ResolvedOptions,
    @Inject(WorkerPool) private readonly pool: Pick<WorkerPool, 'status'>,
    @Inject(HANDLER_INDEX) private readonly handlers: HandlerIndex,
    @Inject(BROKER) broker: ObservedStores,
  ) {
    this.#inspection = new BrokerInspection(broker);
  }

  /**
   * Whether restarting this process would help: down when a fetch loop hangs, and when as many handlers of a queue as may run
   * at once ignore their abort signal (`timing.stuckAfterMs`). It never asks Redis, whose absence no restart mends. In a producer it is up as long as it answers.
   */
  async isLive<const K extends string>(key: K): Promise<HealthIndicatorResult<K>> {
    const session = this.indicators.check(key);
    const { state, queues } = this.pool.status();
    const limitMs = MAX_TURN_MS + this.options.timing.blockMs;
    if (state !== 'running') return session.up({ state });
    const hanging = queues.filter(({ sinceLastTurnMs }) => sinceLastTurnMs > limitMs);
    const overrun = queues.flatMap(findStuckProblems).filter(({ condition }) => condition === 'down');
    const problems = [
      ...hanging.map(
        ({ queue, sinceLastTurnMs }) =>
          `the loop of queue "${queue}" has not turned for ${Math.round(sinceLastTurnMs)} ms`,
      ),
      ...overrun.map(({ text }) => text),
    ];
    return problems.length === 0 ? session.up({ state }) : session.down({ state, problems });
  }

  /**
   * Whether this process can do its part now: Redis answers within a second and accepts writes, the workers have been
   * started, and no queue is beyond the thresholds. The answer shows the depth of the queues, whether they are paused, their
   * workers, the persistence and the eviction policy of the server. Redis is asked at most once a second, in one round trip.
   *
   * `degraded` (still 200; `up` with `condition: 'degraded'` with an older terminus) is what Redis will get over or what
   * costs safety but not work: refused writes, a fail-over, an eviction policy that may delete tasks, a handler that ignores
   * its abort signal.
   */
  async isReady<const K extends string>(
    key: K,
    thresholds: ReadinessThresholds = {},
  ): Promise<HealthIndicatorResult<K>> {
    const session = this.indicators.check(key);
    const status = this.pool.status();
    const about = { mode: this.options.mode, workers: status.state };
    const problems = findWorkerProblems(this.options, status, this.handlers.hasHandlers);
    try {
      const inspection = await this.#inspection.read(thresholds.queues ?? this.handlers.queues);
      const { server, queues } = inspection;
      const details = { ...about, server, durability: describePersistence(server.persistence), queues };
      return answer(session, [...problems, ...findQueueProblems(inspection, thresholds)], details);
    } catch (error) {
      return answer(session, [...problems, ...findInspectionProblems(error, this.#inspection.failingForMs)], about);
    }
  }
}

type Details = Readonly<Record<string, unknown>>;

/** What terminus gives; older versions know up and down only. */
interface Session<K extends string> {
  up(details: Details): HealthIndicatorResult<K>;
  degraded?(details: Details): HealthIndicatorResult<K>;
  down(details: Details): HealthIndicatorResult<K>;
}

function answer<K extends string>(
  session: Session<K>,
  problems: readonly Problem[],
  details: Details,
): HealthIndicatorResult<K> {
  const texts = problems.map(({ text }) => text);
  switch (worstOf(problems.map(({ condition }) => condition))) {
    case 'up':
      return session.up(details);
    case 'degraded':
      return (
        session.degraded?.({ ...details, problems: texts }) ??
        session.up({ ...details, condition: 'degraded', problems: texts })
      );
    case 'down':
      return session.down({ ...details, problems: texts });
  }
}

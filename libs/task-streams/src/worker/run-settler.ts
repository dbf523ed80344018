import type { Delivery, Retention, SettleReply, Settlement } from '../contracts/work-store.interface.js';
import type { TaskOutcome } from '../task/task-outcome.js';
import type { WorkerObserver } from '../watch/worker-observer.interface.js';
import type { Run } from './run.js';
import type { RunRegistry } from './run-registry.js';
import type { SettlementQueue } from './settlement-queue.js';
import { asCounted } from './suspects.js';

export interface RunSettlerParts {
  readonly registry: RunRegistry;
  readonly settlements: SettlementQueue;
  readonly observer: WorkerObserver;
  readonly retention: Retention;
}

/** Tells Redis what a run came to, until Redis has answered for good; then the run is gone. */
export class RunSettler {
  /** Deliveries that were given back. */
  releasedCount = 0;

  constructor(private readonly parts: RunSettlerParts) {}

  async settle(run: Run, end: Settlement['outcome']): Promise<void> {
    const { registry, observer, retention, settlements } = this.parts;
    let isLate = false;
    const keyScope = run.task?.keyScope;
    const onDelay = () => {
      if (!isLate) registry.markUnsettled(run);
      isLate = true;
    };
    let outcome = end;
    let owner: Delivery;
    let reply: SettleReply;
    do {
      owner = run.delivery;
      reply = await settlements.settle({ owner: asCounted(run, outcome), outcome, keyScope, retention }, onDelay);
      if (reply.kind === 'follow-up-refused') outcome = await refused(run, reply.why);
      // Refused because our own sweep reclaimed the entry while the call was on its way: show the new token.
    } while (reply.kind === 'follow-up-refused' || (reply.kind === 'fenced' && run.delivery !== owner));
    if (isLate) registry.unmarkUnsettled();
    run.take('settled');
    registry.remove(run);
    if (outcome.kind === 'release' && reply.kind === 'done') this.releasedCount += 1;
    if (reply.kind === 'deleted') observer.observe({ kind: 'payload-deleted', queue: owner.queue, count: 1 });
    if (reply.kind === 'cancelled') this.report(run, owner, cancelled(run), { kind: 'done' });
    else this.report(run, owner, outcome, reply);
  }

  /** @param delivery The one whose token Redis answered to: a sweep of our own changes it. */
  private report(run: Run, delivery: Delivery, outcome: TaskOutcome, reply: SettleReply): void {
    this.parts.observer.observe({ kind: 'settled', delivery, outcome, reply, durationMs: run.durationMs });
  }
}

/** What a completion comes to that cannot be, because its follow-ups cannot. */
async function refused(run: Run, why: string): Promise<Settlement['outcome']> {
  return (await run.task?.refuseFollowUps(why)) ?? { kind: 'release' };
}

/** Redis may know of the request before this worker does. */
function cancelled(run: Run): TaskOutcome {
  return { kind: 'cancel', request: run.cancel ?? { at: 0, reason: undefined, by: undefined } };
}

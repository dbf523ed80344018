import type { Delivery, WorkStore } from '../contracts/work-store.interface.js';
import type { WorkerObserver } from '../watch/worker-observer.interface.js';
import type { TaskOutcome } from '../task/task-outcome.js';
import type { Run } from './run.js';
import type { RunRegistry } from './run-registry.js';

export interface SuspectsParts {
  readonly work: WorkStore;
  readonly registry: RunRegistry;
  readonly observer: WorkerObserver;
}

/** Tells Redis, and who listens, of tasks that may be what kills the process. */
export class Suspects {
  constructor(private readonly parts: SuspectsParts) {
    parts.registry.onShare = async (run) => void (await this.count(run));
  }

  /**
   * The delivery of a suspect counts from here on. Answers whether it may start; where that cannot be written, its lease
   * will expire.
   */
  async begin(run: Run): Promise<boolean> {
    const now = this.parts.registry.startOf(run) ?? 'beside';
    const isOurs = await this.count(run);
    if (isOurs && run.state === 'starting') {
      this.parts.observer.observe({ kind: 'suspect', delivery: run.delivery, now });
    }
    return isOurs;
  }

  /** Tells of those that were taken in and could not start. */
  tellHeld(deliveries: readonly Delivery[]): void {
    const { registry, observer } = this.parts;
    for (const { entryId } of deliveries) {
      const run = registry.get(entryId);
      if (run && registry.isHeld(run)) observer.observe({ kind: 'suspect', delivery: run.delivery, now: 'held' });
    }
  }

  private async count(run: Run): Promise<boolean> {
    const { work, registry } = this.parts;
    const trial = registry.trialAtStart(run);
    const isOurs = await work.begin(run.delivery, trial).catch(() => false);
    if (isOurs) run.begunAs = trial;
    return isOurs;
  }
}

/** A suspect that may be what keeps its worker from living is judged as if the process had died. */
export function asCounted({ delivery, begunAs }: Run, outcome: TaskOutcome): Delivery {
  const isBurnt = outcome.kind === 'release' && outcome.burnsHandOut === true && begunAs !== undefined;
  return isBurnt ? { ...delivery, trial: begunAs } : delivery;
}

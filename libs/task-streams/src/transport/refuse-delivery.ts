import type { DeadLetterSink } from '../contracts/dead-letter-sink.interface.js';
import type { RunningTask } from '../contracts/task-executor.interface.js';
import type { Delivery } from '../contracts/work-store.interface.js';
import { isTaken } from '../pipeline/offer-dead-letter.js';
import { expiryOfQueue } from '../pipeline/resolve-policy.js';
import type { RunServices } from '../pipeline/task-run.js';
import { deadLetterOf } from '../task/dead-letter-of.js';
import type { TaskEnvelope } from '../task/envelope.js';
import { keyScope as keyScopeOf } from '../task/names.js';
import type { DeadLetterOutcome, TaskOutcome } from '../task/task-outcome.js';
import { dropEntry, giveUpEntry, offerAgain, type UnrunnableEntry } from './entry-outcomes.js';
import type { ReadDelivery } from './read-delivery.js';

export interface RefusalParts {
  readonly services: RunServices;
  readonly sink: DeadLetterSink;
}

type Refused = Exclude<ReadDelivery, { kind: 'runnable' }>;

/** A delivery that is not run here, as the worker sees it: a task that has ended already. */
export function refuseDelivery(delivery: Delivery, read: Refused, parts: RefusalParts): RunningTask {
  return ended(outcomeOf(delivery, read, parts), preclaimedScope(delivery, read.envelope));
}

/** Too late: dropped or a dead letter, as its handler or queue says. Else offered to a worker that may know it, or given up. */
async function outcomeOf(delivery: Delivery, read: Refused, { services, sink }: RefusalParts): Promise<TaskOutcome> {
  const { options, workerName: worker, now, random } = services;
  if (read.kind === 'expired') {
    const { policy } = read.handler ?? {};
    const entry: UnrunnableEntry = { ...read, reason: 'expired', delivery, worker, at: now() };
    const onExpired = policy?.onExpired ?? expiryOfQueue(options, delivery.queue);
    if (onExpired === 'drop') return dropEntry(entry);
    return offerEntry(entry, giveUpEntry(entry), sink, policy?.keepsDeadLetters);
  }
  const entry: UnrunnableEntry = { ...read, delivery, worker, at: now() };
  const outcome =
    read.mayBeKnownElsewhere && delivery.taskId !== ''
      ? offerAgain(entry, options.timing.unknownTaskGraceMs, random)
      : giveUpEntry(entry);
  return outcome.kind === 'dead-letter' ? offerEntry(entry, outcome, sink) : outcome;
}

async function offerEntry(
  entry: UnrunnableEntry,
  outcome: DeadLetterOutcome,
  sink: DeadLetterSink,
  keeps = true,
): Promise<TaskOutcome> {
  const isGone = await isTaken(sink, deadLetterOf(entry.delivery, entry.envelope, outcome));
  return { ...outcome, keep: keeps && !isGone };
}

/** The key that the read script has locked for a task that is not run: it is freed when the task is settled. */
function preclaimedScope({ keyClaim }: Delivery, envelope: TaskEnvelope | undefined): string | undefined {
  const isLocked = keyClaim?.kind === 'won' && envelope?.idempotencyKey !== undefined;
  return isLocked ? keyScopeOf(envelope.name, envelope.idempotencyKey) : undefined;
}

function ended(outcome: Promise<TaskOutcome>, keyScope: string | undefined): RunningTask {
  return {
    abort: () => undefined,
    adopt: () => undefined,
    keyScope,
    timeoutMs: undefined,
    outcome,
    timeOut: () => {
      throw new TypeError('A task that was never started has no timeout');
    },
    refuseFollowUps: () => Promise.reject(new TypeError('A task that was never started has no follow-ups')),
  };
}

import type { NewChange, TaskStore } from '../contracts/task-store.interface.js';
import type { WorkerEvent } from './worker-observer.interface.js';
import { assertNever } from '../task/task-outcome.js';

type Settled = Extract<WorkerEvent, { kind: 'settled' }>;

/** Writes down what a worker tells, for who follows its queue in another process. */
export function publishChange(log: TaskStore, event: WorkerEvent): void {
  if (!('delivery' in event) || !log.hasChanges(event.delivery.queue)) return;
  const change = toChange(event);
  if (change) log.publish(event.delivery.queue, change);
}

/** What an event says to them; `undefined` where it says nothing. */
function toChange(event: WorkerEvent): NewChange | undefined {
  if (event.kind !== 'started' && event.kind !== 'settled') return undefined;
  const { taskId, name, deliveryCount, failedAttempts } = event.delivery;
  if (taskId === '') return undefined;
  if (event.kind === 'started') {
    return { kind: 'started', taskId, name, details: { attempt: failedAttempts + 1, deliveryCount } };
  }
  if (event.reply.kind !== 'done') return undefined;
  const change = settledChange(event);
  return change && { ...change, taskId, name };
}

function settledChange({ outcome, durationMs }: Settled): Omit<NewChange, 'taskId' | 'name'> | undefined {
  const took = { durationMs: Math.round(durationMs) };
  switch (outcome.kind) {
    case 'complete':
      return { kind: 'completed', details: took };
    case 'retry':
      return { kind: 'retrying', details: { ...took, delayMs: outcome.delayMs, error: nameAndMessage(outcome.error) } };
    case 'defer':
      return { kind: 'deferred', details: { delayMs: outcome.delayMs, why: outcome.why } };
    case 'dead-letter':
      return {
        kind: 'dead',
        details: { ...took, reason: outcome.info.reason, error: nameAndMessage(outcome.info.error) },
      };
    case 'expired':
      return { kind: 'expired', details: { error: nameAndMessage(outcome.error) } };
    case 'cancel':
      return { kind: 'cancelled', details: outcome.request };
    case 'release':
      return { kind: 'released' };
    case 'lost':
      return undefined;
    default:
      return assertNever(outcome);
  }
}

/** Without the stack: many may follow. */
function nameAndMessage(error: { readonly name: string; readonly message: string } | undefined): object | undefined {
  return error && { name: error.name, message: error.message };
}

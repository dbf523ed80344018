import { Logger } from '@nestjs/common';
import type { Delivery } from '../contracts/broker.interface.js';
import type { WorkerEvent, WorkerObserver } from '../contracts/worker-observer.interface.js';
import { cureOf } from '../policy/redis-error.js';
import { withoutFullStop } from '../task/sentence.js';
import { assertNever, type TaskOutcome } from '../task/task-outcome.js';

type Settled = Extract<WorkerEvent, { kind: 'settled' }>;
type LeaseLate = Extract<WorkerEvent, { kind: 'lease-late' }>;
type PayloadDeleted = Extract<WorkerEvent, { kind: 'payload-deleted' }>;
type Stuck = Extract<WorkerEvent, { kind: 'stuck' }>;
type RedisTrouble = Extract<WorkerEvent, { kind: 'redis-error' | 'redis-recovered' }>;

/** Writes what a worker does to Nest's log: a sentence, and the same as fields. Never a payload. */
export class LoggingObserver implements WorkerObserver {
  readonly #logger = new Logger('TaskWorker');
  readonly #logsSuccess: boolean;
  /** What is in trouble now, so that an outage is two lines and not one for each try. */
  readonly #troubled = new Set<string>();

  /** @param logsSuccess Write a line at level debug for each task that starts and for each that completes. */
  constructor(logsSuccess: boolean) {
    this.#logsSuccess = logsSuccess;
  }

  observe(event: WorkerEvent): void {
    switch (event.kind) {
      case 'started':
        if (this.#logsSuccess) this.#debug(`${nameOf(event.delivery)} started`, fieldsOf(event.kind, event.delivery));
        break;
      case 'reclaimed':
        this.#debug(`${nameOf(event.delivery)} was taken over`, fieldsOf(event.kind, event.delivery));
        break;
      case 'settled':
        this.#settled(event);
        break;
      case 'lease-lost':
        this.#warn(
          `${nameOf(event.delivery)} lost its lease: another worker runs it`,
          fieldsOf(event.kind, event.delivery),
        );
        break;
      case 'lease-late':
        this.#late(event);
        break;
      case 'abandoned':
        this.#warn(`${nameOf(event.delivery)} goes on after its timeout`, fieldsOf(event.kind, event.delivery));
        break;
      case 'stuck':
        this.#stuck(event);
        break;
      case 'payload-deleted':
        this.#payloadDeleted(event);
        break;
      case 'redis-error':
      case 'redis-recovered':
        this.#redis(event);
        break;
      default:
        assertNever(event);
    }
  }

  #payloadDeleted({ kind, queue, count }: PayloadDeleted): void {
    this.#logger.error(`Queue "${queue}": ${count} pending tasks were deleted from Redis by somebody`, {
      event: kind,
      queue,
      count,
    });
  }

  #stuck({ kind, delivery, abandonedMs }: Stuck): void {
    this.#logger.error(
      `${nameOf(delivery)} has ignored its abort signal for ${abandonedMs} ms and cannot be ended from outside; make its ` +
        'handler stop when ctx.signal aborts',
      { ...fieldsOf(kind, delivery), abandonedMs },
    );
  }

  #settled(event: Settled): void {
    const { delivery, outcome, reply, durationMs } = event;
    // Successes come in thousands a second: nothing is put together for a line that is not written.
    if (outcome.kind === 'complete' && reply.kind === 'done' && !this.#logsSuccess) return;
    const fields = (): object => ({ ...fieldsOf('settled', delivery), durationMs, ...outcomeFields(outcome) });
    if (reply.kind === 'refused' || reply.kind === 'fenced') {
      const why = reply.kind === 'refused' ? `Redis answered ${reply.reply}` : 'another worker owns the task';
      this.#warn(`${nameOf(delivery)}: its ${outcome.kind} was refused, ${why}`, { ...fields(), reply: reply.kind });
      return;
    }
    switch (outcome.kind) {
      case 'retry':
        this.#warn(
          `${nameOf(delivery)} failed, next attempt in ${outcome.delayMs} ms: ${outcome.error.message}`,
          fields(),
        );
        break;
      case 'dead-letter': {
        const { reason, error } = outcome.info;
        const message = `${nameOf(delivery)} is a dead letter (${reason}): ${error?.message ?? ''}`;
        // An outcome that the options expect is not what somebody is woken for.
        if (outcome.expected) this.#logger.log(message, fields());
        else this.#logger.error(message, fields(), error?.stack);
        break;
      }
      case 'expired':
        this.#logger.log(`${nameOf(delivery)} was dropped, its time is over: ${outcome.error.message}`, fields());
        break;
      default:
        this.#debug(`${nameOf(delivery)} settled: ${outcome.kind}`, fields());
    }
  }

  #late({ kind, queue, sinceMs, leaseMs, heldCount, why }: LeaseLate): void {
    const reason =
      why === 'redis' ? 'Redis does not answer in time' : 'the event loop was blocked, or the process paused';
    this.#warn(
      `Queue "${queue}": the leases of ${heldCount} tasks were not renewed for ${sinceMs} of ${leaseMs} ms: ${reason}. ` +
        'Nothing new starts; when a lease is over, another worker runs its task again.',
      { event: kind, queue, sinceMs, leaseMs, heldCount, why },
    );
  }

  #redis(event: RedisTrouble): void {
    const { kind, queue, operation } = event;
    const key = `${queue}/${operation}`;
    if (kind === 'redis-recovered') {
      if (this.#troubled.delete(key))
        this.#logger.log(`Queue "${queue}": ${operation} works again`, { event: kind, queue, operation });
      return;
    }
    if (this.#troubled.has(key)) return;
    this.#troubled.add(key);
    const cure = cureOf(event.error);
    const message =
      `Queue "${queue}": ${operation} fails: ${withoutFullStop(event.error.message)}. ` +
      `${cure === undefined ? '' : `${cure}. `}It is tried again until it works.`;
    this.#logger.error(message, { event: kind, queue, operation }, event.error.stack);
  }

  #warn(message: string, fields: object): void {
    this.#logger.warn(message, fields);
  }

  #debug(message: string, fields: object): void {
    this.#logger.debug(message, fields);
  }
}

function nameOf(delivery: Delivery): string {
  return `Task ${taskOf(delivery) || '(without a name)'} ${delivery.taskId || delivery.entryId}`;
}

/** Cut, because a name that another program wrote may be of any length. */
function taskOf(delivery: Delivery): string {
  return delivery.name.slice(0, 256);
}

function fieldsOf(event: WorkerEvent['kind'], delivery: Delivery): object {
  const { taskId, queue, entryId, deliveryCount } = delivery;
  return { event, taskId, task: taskOf(delivery), queue, entryId, deliveryCount };
}

function outcomeFields(outcome: TaskOutcome): object {
  switch (outcome.kind) {
    case 'retry':
      return {
        outcome: outcome.kind,
        attempt: outcome.meta.failedAttempts,
        nextDelayMs: outcome.delayMs,
        error: outcome.error.name,
      };
    case 'defer':
      return {
        outcome: outcome.kind,
        nextDelayMs: outcome.delayMs,
        reason: outcome.why,
        ...(outcome.expected ? { expected: true } : {}),
      };
    case 'dead-letter':
      return {
        outcome: outcome.kind,
        attempt: outcome.info.failedAttempts,
        reason: outcome.info.reason,
        error: outcome.info.error?.name,
        ...(outcome.expected ? { expected: true } : {}),
      };
    case 'expired':
      return { outcome: outcome.kind, attempt: outcome.failedAttempts, error: outcome.error.name };
    case 'complete':
      return { outcome: outcome.kind, replayed: outcome.replayed };
    case 'release':
    case 'lost':
      return { outcome: outcome.kind };
    default:
      return assertNever(outcome);
  }
}

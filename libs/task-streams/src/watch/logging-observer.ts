import { Logger } from '@nestjs/common';
import type { Delivery } from '../contracts/work-store.interface.js';
import type { ProducerEvent } from './producer-observer.interface.js';
import type { WorkerEvent, WorkerObserver } from './worker-observer.interface.js';
import { cureOf } from '../policy/redis-error.js';
import { onOneLine, withoutFullStop } from '../task/sentence.js';
import { assertNever } from '../task/task-outcome.js';
import { eventOf, outcomeFields, taskFields, taskOf, waitFields, type LogEvent, type LogSource } from './log-fields.js';

type Settled = Extract<WorkerEvent, { kind: 'settled' }>;
type LeaseLate = Extract<WorkerEvent, { kind: 'lease-late' }>;
type Reclaimed = Extract<WorkerEvent, { kind: 'reclaimed' }>;
type Stuck = Extract<WorkerEvent, { kind: 'stuck' }>;
type Suspect = Extract<WorkerEvent, { kind: 'suspect' }>;
type RedisTrouble = Extract<WorkerEvent, { kind: 'redis-error' | 'redis-recovered' }>;

/**
 * Writes what a worker does to Nest's log: a sentence, and the same as fields. Never a payload, a header or the details of
 * an error.
 */
export class LoggingObserver implements WorkerObserver {
  readonly #logger = new Logger('TaskWorker');
  readonly #logsSuccess: boolean;
  readonly #source: LogSource;
  /** What is in trouble now, so that an outage is two lines and not one for each try. */
  readonly #troubled = new Set<string>();

  /** @param logsSuccess Write a line at level debug for each task that is enqueued, starts and completes. */
  constructor(logsSuccess: boolean, source: LogSource) {
    this.#logsSuccess = logsSuccess;
    this.#source = source;
  }

  observe(event: WorkerEvent): void {
    switch (event.kind) {
      case 'started':
        this.#started(event);
        break;
      case 'reclaimed':
        this.#claimed(event);
        break;
      case 'settled':
        this.#settled(event);
        break;
      case 'lease-lost':
        this.#lost(event.delivery);
        break;
      case 'lease-late':
        this.#late(event);
        break;
      case 'abandoned': {
        const { delivery } = event;
        this.#warn(`${nameOf(delivery)} goes on after its timeout`, this.#fields('task.abandoned', delivery));
        break;
      }
      case 'stuck':
        this.#stuck(event);
        break;
      case 'suspect':
        this.#suspect(event);
        break;
      case 'payload-deleted':
      case 'dead-letters-dropped':
        this.#gone(event);
        break;
      case 'redis-error':
      case 'redis-recovered':
        this.#redis(event);
        break;
      default:
        assertNever(event);
    }
  }

  /** A failure is the sender's to log: it gets the error. */
  observeProducer(event: ProducerEvent): void {
    if (event.kind !== 'enqueued') return;
    const { queue, item, isDuplicate } = event;
    const fields = { event: 'task.enqueued' satisfies LogEvent, taskId: item.id, task: item.name, queue, isDuplicate };
    this.#debug(`Task ${item.name} ${item.id} ${isDuplicate ? 'was known already' : 'enqueued'}`, fields);
  }

  #started(event: Extract<WorkerEvent, { kind: 'started' }>): void {
    if (!this.#logsSuccess) return;
    const { delivery } = event;
    this.#debug(`${nameOf(delivery)} started`, { ...this.#fields('task.started', delivery), ...waitFields(event) });
  }

  /** A worker that stops hands its tasks back without counting the hand-out; one that died is worth a line. */
  #claimed({ delivery, previousOwner }: Reclaimed): void {
    const fields = { ...this.#fields('task.claimed', delivery), previousOwner };
    const worker = previousOwner === undefined ? 'its worker' : `worker ${previousOwner}`;
    if (delivery.deliveryCount > 1)
      this.#warn(`${nameOf(delivery)} was taken over: the lease of ${worker} lapsed`, fields);
    else this.#debug(`${nameOf(delivery)} was taken over from a worker that stopped`, fields);
  }

  #gone(gone: Extract<WorkerEvent, { kind: 'payload-deleted' | 'dead-letters-dropped' }>): void {
    const { kind, queue, count } = gone;
    if (kind === 'dead-letters-dropped') {
      const event: LogEvent = 'dead_letter.dropped';
      this.#warn(`Queue "${queue}": retention dropped ${count} dead letters`, { event, queue, count });
      return;
    }
    const event: LogEvent = 'task.payload_deleted';
    this.#error(`Queue "${queue}": ${count} pending tasks were deleted from Redis by somebody`, {
      event,
      queue,
      count,
    });
  }

  #settled(event: Settled): void {
    const { delivery, outcome, reply, durationMs } = event;
    // Successes come in thousands a second: nothing is put together for a line that is not written.
    if (outcome.kind === 'complete' && reply.kind === 'done' && !this.#logsSuccess) return;
    const fields = (name: LogEvent): object => ({
      ...this.#fields(name, delivery),
      outcome: outcome.kind,
      durationMs: Math.round(durationMs),
      ...outcomeFields(outcome),
    });
    if (reply.kind === 'refused' || reply.kind === 'fenced') {
      const why = reply.kind === 'refused' ? `Redis answered ${reply.reply}` : 'another worker owns the task';
      const message = `${nameOf(delivery)}: its ${outcome.kind} was refused, ${why}`;
      this.#warn(message, { ...fields('task.refused'), reply: reply.kind });
      return;
    }
    switch (outcome.kind) {
      case 'retry': {
        const { delayMs, error } = outcome;
        const message = `${nameOf(delivery)} failed, next attempt in ${delayMs} ms: ${error.message}`;
        this.#warn(message, fields(eventOf(outcome)));
        break;
      }
      case 'dead-letter': {
        const { reason, error } = outcome.info;
        const message = `${nameOf(delivery)} is a dead letter (${reason}): ${error?.message ?? ''}`;
        // An outcome that the options expect is not what somebody is woken for.
        if (outcome.expected) this.#log(message, fields(eventOf(outcome)));
        else this.#error(message, fields(eventOf(outcome)), error?.stack);
        break;
      }
      case 'cancel':
        this.#log(`${nameOf(delivery)} was cancelled while it ran`, fields(eventOf(outcome)));
        break;
      case 'expired':
        this.#log(`${nameOf(delivery)} was dropped: ${outcome.error.message}`, fields(eventOf(outcome)));
        break;
      default:
        this.#debug(`${nameOf(delivery)} settled: ${outcome.kind}`, fields(eventOf(outcome)));
    }
  }

  #lost(delivery: Delivery): void {
    const message = `${nameOf(delivery)} lost its lease: another worker runs it`;
    this.#warn(message, this.#fields('task.lease_lost', delivery));
  }

  #stuck({ delivery, abandonedMs }: Stuck): void {
    this.#error(
      `${nameOf(delivery)} has ignored its abort signal for ${abandonedMs} ms and cannot be ended from outside; make its ` +
        'handler stop when ctx.signal aborts',
      { ...this.#fields('task.stuck', delivery), abandonedMs },
    );
  }

  #suspect({ delivery, now }: Suspect): void {
    const fields = { ...this.#fields('task.suspect', delivery), now };
    const how = { held: 'waits for its turn', alone: 'starts alone in this process', beside: 'starts beside others' };
    this.#warn(`${nameOf(delivery)} ${how[now]}: its process died with it so often that it may be the cause`, fields);
  }

  #late({ queue, sinceMs, leaseMs, heldCount, why }: LeaseLate): void {
    const event: LogEvent = 'lease.late';
    const reason =
      why === 'redis' ? 'Redis does not answer in time' : 'the event loop was blocked, or the process paused';
    this.#warn(
      `Queue "${queue}": the leases of ${heldCount} tasks were not renewed for ${sinceMs} of ${leaseMs} ms: ${reason}. ` +
        'Nothing new starts; when a lease is over, another worker runs its task again.',
      { event, queue, sinceMs, leaseMs, heldCount, why },
    );
  }

  #redis(trouble: RedisTrouble): void {
    const { kind, queue, operation } = trouble;
    const key = `${queue}/${operation}`;
    if (kind === 'redis-recovered') {
      const event: LogEvent = 'redis.recovered';
      if (this.#troubled.delete(key))
        this.#log(`Queue "${queue}": ${operation} works again`, { event, queue, operation });
      return;
    }
    if (this.#troubled.has(key)) return;
    this.#troubled.add(key);
    const { message: text, name: errorType, stack } = trouble.error;
    const cure = cureOf(trouble.error);
    const message =
      `Queue "${queue}": ${operation} fails: ${withoutFullStop(text)}. ` +
      `${cure === undefined ? '' : `${cure}. `}It is tried again until it works.`;
    this.#error(message, { event: 'redis.error' satisfies LogEvent, queue, operation, errorType }, stack);
  }

  #fields(event: LogEvent, delivery: Delivery): object {
    return taskFields(event, delivery, this.#source);
  }

  #debug(message: string, fields: object): void {
    this.#logger.debug(onOneLine(message), fields);
  }

  #log(message: string, fields: object): void {
    this.#logger.log(onOneLine(message), fields);
  }

  #warn(message: string, fields: object): void {
    this.#logger.warn(onOneLine(message), fields);
  }

  #error(message: string, ...rest: readonly [fields: object, stack?: string | undefined]): void {
    this.#logger.error(onOneLine(message), ...rest);
  }
}

function nameOf(delivery: Delivery): string {
  return `Task ${taskOf(delivery) || '(without a name)'} ${delivery.taskId || delivery.entryId}`;
}

import { Inject, Injectable, Logger } from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { PRODUCER_EVENTS, WORKER_EVENTS } from '../watch/event-sources.interface.js';
import type { Fact, FactListener, FactName, FactSource } from '../watch/fact.interface.js';
import { factOf } from '../watch/fact-of.js';
import { rowOf, TASK_EVENT_KINDS } from '../watch/facts.js';
import { RESOLVED_OPTIONS } from '../contracts/tokens.js';
import type { ResolvedOptions } from '../options/resolved-options.js';
import { within } from '../time/within.js';
import type { TaskEvent } from '../watch/task-event.interface.js';
import { findListeners } from './listener-methods.js';
import { subscriptionsOf, type EventSubscription } from './on-task-event.decorator.js';
import { StallWatch } from '../watch/stall-watch.js';
import { toTaskEvent } from '../watch/to-task-event.js';

interface Subscriber extends EventSubscription {
  readonly place: string;
  readonly call: (event: TaskEvent) => unknown;
}

/** How long a stop waits for listeners that run, in milliseconds. */
const FINISH_MS = 5_000;

const logger = new Logger('TaskEvents');

/** Finds the methods with `@OnTaskEvent` and calls them. Where there are none, nobody listens and nothing is made. */
@Injectable()
export class EventListenerExplorer {
  readonly #running = new Set<Promise<void>>();
  #stallWatch: StallWatch | undefined;

  constructor(
    @Inject(DiscoveryService) private readonly discovery: DiscoveryService,
    @Inject(MetadataScanner) private readonly scanner: MetadataScanner,
    @Inject(WORKER_EVENTS) private readonly workers: FactSource,
    @Inject(PRODUCER_EVENTS) private readonly producers: FactSource,
    @Inject(RESOLVED_OPTIONS) private readonly options: Pick<ResolvedOptions, 'limits'>,
  ) {}

  /**
   * Subscribes what is found.
   *
   * @throws UsageError for a method of a provider that is made for each request or injection.
   */
  start(): void {
    const subscribers = this.#find();
    const kinds = TASK_EVENT_KINDS.filter((kind) => subscribers.some((one) => one.kinds?.includes(kind) ?? true));
    const heard = new Set<FactName>(kinds);
    const listener: FactListener = {
      hears: (name) => heard.has(name),
      tell: (fact) => this.#tell(subscribers, fact),
    };
    // Nothing is measured or put together for what nobody hears.
    if (kinds.some((kind) => rowOf(kind).isOfSender === true)) this.producers.listen(listener);
    if (kinds.some((kind) => rowOf(kind).isOfSender !== true)) this.workers.listen(listener);
    if (!heard.has('stalled-loop')) return;
    this.#stallWatch = new StallWatch((stalledMs) =>
      this.#tell(subscribers, factOf({ kind: 'stalled-loop', stalledMs })),
    );
  }

  /** Waits for the listeners that run, for five seconds at most. */
  async finished(): Promise<void> {
    if (this.#running.size > 0) await within(Promise.all(this.#running), FINISH_MS);
  }

  stop(): void {
    this.#stallWatch?.stop();
  }

  #tell(subscribers: readonly Subscriber[], fact: Fact): void {
    const event = toTaskEvent(fact, this.options.limits.maxHeaders);
    for (const subscriber of subscribers) if (matches(subscriber, event)) this.#start(subscriber, event);
  }

  #start(subscriber: Subscriber, event: TaskEvent): void {
    const work = deliver(subscriber, event).finally(() => this.#running.delete(work));
    this.#running.add(work);
  }

  #find(): Subscriber[] {
    const { discovery, scanner } = this;
    return findListeners({ discovery, scanner }, '@OnTaskEvent', subscriptionsIfAny).flatMap(
      ({ place, declared, call }) =>
        declared.map((subscription) => ({ ...subscription, place, call: call as Subscriber['call'] })),
    );
  }
}

function subscriptionsIfAny(method: unknown): readonly EventSubscription[] | undefined {
  const subscriptions = subscriptionsOf(method);
  return subscriptions.length === 0 ? undefined : subscriptions;
}

function matches({ kinds, queue, task }: EventSubscription, event: TaskEvent): boolean {
  return (
    (kinds === undefined || kinds.includes(event.kind)) &&
    (queue === undefined || ('queue' in event && event.queue === queue)) &&
    (task === undefined || ('task' in event && event.task === task))
  );
}

async function deliver({ place, call }: Subscriber, event: TaskEvent): Promise<void> {
  try {
    // After the step of the worker that tells.
    await Promise.resolve();
    await call(event);
  } catch (error) {
    logger.error(`The listener ${place} failed at "${event.kind}"; the task is not changed by it`, error);
  }
}

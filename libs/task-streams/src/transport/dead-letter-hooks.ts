import { Logger } from '@nestjs/common';
import type { DiscoveryService, MetadataScanner } from '@nestjs/core';
import type { WorkerEvent } from '../watch/worker-observer.interface.js';
import type { ResolvedOptions } from '../options/resolved-options.js';
import type { DeadLetter } from '../task/dead-letter.js';
import { decodeEnvelope } from '../task/decode-envelope.js';
import { letterOfEntry } from './entry-outcomes.js';
import type { HandlerRegistry } from '../handlers/handler-registry.js';
import { findListeners } from '../handlers/listener-methods.js';
import { deadLetterFilterOf, type DeadLetterFilterBy } from './on-dead-letter.decorator.js';
import type { WorkerEvents } from '../watch/worker-events.js';

/** What the hooks work with. */
export interface DeadLetterHooksDeps {
  readonly discovery: DiscoveryService;
  readonly scanner: MetadataScanner;
  readonly registry: HandlerRegistry;
  readonly events: WorkerEvents;
  readonly options: Pick<ResolvedOptions, 'limits'>;
}

type Settled = Extract<WorkerEvent, { kind: 'settled' }>;

interface Hook {
  readonly place: string;
  readonly filter: DeadLetterFilterBy;
  readonly call: (letter: DeadLetter) => unknown;
}

/** How long a stop waits for hooks that run, in milliseconds. */
const FINISH_MS = 5_000;

const logger = new Logger('DeadLetters');

/**
 * Calls the methods with `@OnDeadLetter()`, and the `onDeadLetter` of the handler, for each task that was given up and
 * settled. They run beside the worker: it waits for none of them.
 */
export class DeadLetterHooks {
  readonly #running = new Set<Promise<void>>();
  #hooks: readonly Hook[] = [];

  constructor(private readonly deps: DeadLetterHooksDeps) {}

  /**
   * Looks for the methods, and listens where there is somebody to tell. To be called once, when the handlers are known.
   *
   * @throws UsageError for a method of a provider that is made for each request.
   */
  register(): void {
    const { events, registry } = this.deps;
    this.#hooks = this.#find();
    const isWanted = this.#hooks.length > 0 || [...registry].some(({ policy }) => policy.onDeadLetter !== undefined);
    if (isWanted) events.on('settled', (event) => this.#settled(event));
  }

  /** Waits for the hooks that run, for five seconds at most. */
  async finished(): Promise<void> {
    if (this.#running.size === 0) return;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, FINISH_MS);
    });
    await Promise.race([Promise.all(this.#running), late]);
    clearTimeout(timer);
  }

  #settled({ delivery, outcome, reply }: Settled): void {
    if (outcome.kind !== 'dead-letter' || (reply.kind !== 'done' && reply.kind !== 'already')) return;
    const { registry, options } = this.deps;
    // Parsing may be what kills the process: a task that has done so stays unparsed.
    const isDangerous = outcome.info.reason === 'crash-limit';
    const entry = isDangerous ? undefined : decodeEnvelope(delivery.fields, options.limits.maxHeaders);
    const envelope = entry?.kind === 'task' ? entry.envelope : undefined;
    const letter = letterOfEntry({ delivery, envelope }, outcome);
    const handler = registry.find(letter.queue, letter.name);
    const { onDeadLetter } = handler?.policy ?? {};
    if (handler && onDeadLetter) this.#start({ place: handler.place, filter: {}, call: onDeadLetter }, letter);
    for (const hook of this.#hooks) if (isMeant(hook.filter, letter)) this.#start(hook, letter);
  }

  #start(hook: Hook, letter: DeadLetter): void {
    const work = callSafely(hook, letter).finally(() => this.#running.delete(work));
    this.#running.add(work);
  }

  #find(): Hook[] {
    return findListeners(this.deps, '@OnDeadLetter', deadLetterFilterOf).map(({ place, declared, call }) => ({
      place,
      filter: declared,
      call: call as Hook['call'],
    }));
  }
}

function isMeant({ name, queue }: DeadLetterFilterBy, letter: DeadLetter): boolean {
  return (name === undefined || name === letter.name) && (queue === undefined || queue === letter.queue);
}

async function callSafely({ place, call }: Hook, letter: DeadLetter): Promise<void> {
  try {
    await call(letter);
  } catch (error) {
    logger.error(`Task ${letter.taskId}: onDeadLetter of ${place} threw; the dead letter is kept all the same`, error);
  }
}

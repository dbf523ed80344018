import { Logger } from '@nestjs/common';
import type { DiscoveryService, MetadataScanner } from '@nestjs/core';
import type { DeadLetterStore, FedLetter } from '../contracts/dead-letter-store.interface.js';
import type { WorkerObserver } from '../watch/worker-observer.interface.js';
import type { DeadLetterService } from './dead-letter.service.js';
import { DeadLetterNotFoundError, DeadLetterUnreadableError, RedriveRefusedError } from '../task/dead-letter-errors.js';
import { assertNever } from '../task/task-outcome.js';
import { DeadLetterLoop } from './dead-letter-loop.js';
import { ErrorEpisodes } from '../worker/error-episodes.js';
import {
  letterHandlerOf,
  type DeadLetterInstruction,
  type LetterHandlerDeclaration,
  type LetterMethod,
} from './dead-letter-handler.decorator.js';
import { findListeners } from '../handlers/listener-methods.js';

export interface DeadLetterHandlersDeps {
  readonly discovery: DiscoveryService;
  readonly scanner: MetadataScanner;
  readonly feed: DeadLetterStore;
  readonly letters: Pick<DeadLetterService, 'redrive' | 'discard'>;
  readonly observer: WorkerObserver;
  readonly shutdownTimeoutMs: number;
}

interface FoundLetterHandler extends LetterHandlerDeclaration {
  readonly handle: LetterMethod;
}

const logger = new Logger('DeadLetterHandlers');

/** Runs the methods with `@DeadLetterHandler` of this process. Starts and stops with the workers. */
export class DeadLetterHandlers {
  private loops: readonly DeadLetterLoop[] = [];

  constructor(private readonly deps: DeadLetterHandlersDeps) {}

  /** @throws UsageError for a handler on a provider that is made for each request or injection. */
  start(): void {
    this.loops = this.find().map((found) => this.loopOf(found));
    for (const loop of this.loops) loop.start();
  }

  async stop(): Promise<void> {
    await Promise.all(this.loops.map((loop) => loop.stop(this.deps.shutdownTimeoutMs)));
  }

  private find(): FoundLetterHandler[] {
    return findListeners(this.deps, '@DeadLetterHandler', letterHandlerOf).map(({ declared, call }) => ({
      ...declared,
      handle: call as LetterMethod,
    }));
  }

  private loopOf(found: FoundLetterHandler): DeadLetterLoop {
    const { queue, group, from, timeoutMs, attempts } = found;
    const plan = {
      ...{ queue, group, from, timeoutMs, attempts },
      handle: (fed: FedLetter, signal: AbortSignal) => this.handle(found, fed, signal),
      onFailed: (fed: FedLetter, error: unknown, isLast: boolean) => logFailure(found, fed, error, isLast),
    };
    const trouble = new ErrorEpisodes(queue, this.deps.observer).of(`dead letters for ${group}`);
    return new DeadLetterLoop(plan, this.deps.feed, trouble);
  }

  private async handle(found: FoundLetterHandler, fed: FedLetter, signal: AbortSignal): Promise<void> {
    const { letter, deliveryCount } = fed;
    if (found.task !== undefined && found.task !== letter.name) return;
    const instruction = await found.handle(letter, { deliveryCount, signal });
    // Too late: the letter is with somebody else.
    if (instruction !== undefined && !signal.aborted) await this.carryOut(found, fed, instruction);
  }

  private async carryOut(
    { queue, place }: FoundLetterHandler,
    { entryId }: FedLetter,
    instruction: DeadLetterInstruction,
  ): Promise<void> {
    try {
      switch (instruction.kind) {
        case 'keep':
          return;
        case 'redrive':
          await this.deps.letters.redrive(queue, entryId, { ...instruction, actor: place });
          return;
        case 'discard':
          await this.deps.letters.discard(queue, entryId, { reason: instruction.reason, actor: place });
          return;
        default:
          assertNever(instruction);
      }
    } catch (error) {
      if (!isAnswer(error)) throw error;
      logger.warn(`${place}: ${error.message}`);
    }
  }
}

/** What trying again would not change. */
function isAnswer(error: unknown): error is Error {
  return [DeadLetterNotFoundError, DeadLetterUnreadableError, RedriveRefusedError].some(
    (kind) => error instanceof kind,
  );
}

function logFailure(
  { place }: FoundLetterHandler,
  { letter, entryId }: FedLetter,
  error: unknown,
  isLast: boolean,
): void {
  const then = isLast ? 'It is left alone, and stays among the dead letters.' : 'It comes again.';
  logger.error(`${place} failed at dead letter ${entryId} of task ${letter.taskId}. ${then}`, error);
}

import { group as options, milliseconds, oneOf, wholeNumber, withDefault } from '../options/check-option.js';
import type { RedriveRules } from './plan-redrive.js';
import { InvalidOptionError, UsageError } from '../task/config-errors.js';
import type { DeadLetter } from '../task/dead-letter.js';
import { DEFAULT_QUEUE, requireQueueName, requireTaskName } from '../task/names.js';
import type { TaskContract } from '../task/task-contract.js';

/**
 * What is to be done with a dead letter.
 *
 * @publicApi
 */
export type DeadLetterInstruction =
  | { readonly kind: 'keep' }
  | ({ readonly kind: 'redrive' } & RedriveRules)
  | { readonly kind: 'discard'; readonly reason: string };

/** @publicApi */
export interface DeadLetterHandlerOptions {
  /** The queue. Default: the queue of the contract, else `default`. */
  readonly queue?: string;
  /**
   * Who reads: the processes that share a group share the letters, and each group sees every letter. Default the class and
   * method, such as `Triage.look`; give a name of your own to rename those without missing a letter.
   */
  readonly group?: string;
  /** Where a group that is new begins: with what dies from now on, or with all letters there are. Default `new`. */
  readonly from?: 'new' | 'all';
  /** Milliseconds a letter may take; one that was not finished comes again after twice as long. Default one minute. */
  readonly timeoutMs?: number;
  /** How often a letter is handed out before it is left alone. Default 5. */
  readonly attempts?: number;
}

/**
 * What a handler of dead letters is told beside the letter.
 *
 * @publicApi
 */
export interface DeadLetterContext {
  /** How often the letter was handed out, this time included. */
  readonly deliveryCount: number;
  /** Aborts when the handler takes too long, and when the process stops. */
  readonly signal: AbortSignal;
}

export type LetterMethod = (
  letter: DeadLetter,
  context: DeadLetterContext,
) => DeadLetterInstruction | void | Promise<DeadLetterInstruction | void>;

/** What the decorator says about a method. */
export interface LetterHandlerDeclaration extends Required<DeadLetterHandlerOptions> {
  /** `undefined` for every task of the queue. */
  readonly task: string | undefined;
  readonly place: string;
}

const DECLARATION = Symbol.for('nestjs-task-streams:dead-letter-handler');

const checkGroup = (path: string, value: unknown): string => {
  if (typeof value === 'string' && /^[\w.:-]{1,128}$/.test(value)) return value;
  throw new InvalidOptionError(path, value, 'give 1 to 128 letters, digits or . _ : -');
};

/**
 * Makes a method of a provider, or of a controller, the handler of the dead letters of a task, or of a whole queue: for triage, tickets, or to
 * mend and send again what can be. It is called in the workers, at least once for each letter, after the letter is safe in
 * the stream; it survives crashes. What it returns is done: nothing (the letter stays), or an instruction.
 *
 * @example
 * @DeadLetterHandler(debit)
 * async triage(letter: DeadLetter): Promise<DeadLetterInstruction | void> {
 *   if (letter.error?.name === 'BankClosedError') return { kind: 'redrive' };
 *   await this.tickets.open(letter);
 * }
 *
 * @param task A contract of `defineTask`, a name, or `{ queue }` for every task of a queue.
 * @throws InvalidNameError, InvalidOptionError while the class is declared.
 * @publicApi
 */
export function DeadLetterHandler(
  task: string | TaskContract | { readonly queue: string },
  given: DeadLetterHandlerOptions = {},
): MethodDecorator {
  return (target, key, descriptor) => {
    const place = `${target.constructor.name}.${String(key)}`;
    const method: unknown = descriptor.value;
    if (typeof method !== 'function')
      throw new UsageError(`@DeadLetterHandler() belongs on a method; ${place} is none`);
    const name = typeof task === 'string' ? task : 'name' in task ? task.name : undefined;
    const check = options<Required<DeadLetterHandlerOptions>>({
      queue: withDefault(typeof task === 'string' ? DEFAULT_QUEUE : task.queue, (_, queue) => requireQueueName(queue)),
      group: withDefault(place, checkGroup),
      from: withDefault('new', oneOf(['new', 'all'])),
      timeoutMs: withDefault(60_000, milliseconds(10, 86_400_000)),
      attempts: withDefault(5, wholeNumber(1, 1_000, ' (deliveries)')),
    });
    const checked = check(`of @DeadLetterHandler of ${place}:`, given);
    requireQueueName(checked.queue);
    const declaration: LetterHandlerDeclaration = {
      ...checked,
      task: name === undefined ? undefined : requireTaskName(name),
      place,
    };
    Reflect.defineMetadata(DECLARATION, declaration, method);
  };
}

/** What the decorator says about a method; `undefined` for any other method. */
export function letterHandlerOf(method: unknown): LetterHandlerDeclaration | undefined {
  if (typeof method !== 'function') return undefined;
  return Reflect.getMetadata(DECLARATION, method) as LetterHandlerDeclaration | undefined;
}

import { SetMetadata } from '@nestjs/common';
import { requireTaskName } from '../task/names.js';
import type { TaskContract } from '../task/task-contract.js';

/** Which dead letters a method hears of; what is left out is every one. */
export interface DeadLetterFilterBy {
  readonly name?: string;
  readonly queue?: string;
}

const ON_DEAD_LETTER = Symbol.for('nestjs-task-streams:on-dead-letter');

/**
 * Makes a method of a provider, or of a controller, hear of each task that this process gives up. It takes the
 * {@link DeadLetter}: the task, its last error, the reason.
 *
 * It is called after the letter was written, **at most once**: a process that dies in between does not call it. It cannot
 * keep a task from being settled, and what it throws is logged. What must not be missed belongs into a `DeadLetterSink`,
 * which is called before, at least once. Entries whose payload somebody deleted have no attempt and are not told here.
 *
 * @example
 * @OnDeadLetter(debit)
 * async refund(letter: DeadLetter): Promise<void> { … }
 *
 * @param task A contract, or the name of a task in any queue. Default: every task.
 * @throws InvalidNameError while the class is declared.
 * @publicApi
 */
export function OnDeadLetter(task?: string | TaskContract): MethodDecorator {
  return SetMetadata(ON_DEAD_LETTER, filterOf(task)) as MethodDecorator;
}

function filterOf(task: string | TaskContract | undefined): DeadLetterFilterBy {
  if (task === undefined) return {};
  return typeof task === 'string' ? { name: requireTaskName(task) } : { name: task.name, queue: task.queue };
}

/** What {@link OnDeadLetter} says about a method; `undefined` for any other. */
export function deadLetterFilterOf(method: unknown): DeadLetterFilterBy | undefined {
  return typeof method === 'function'
    ? (Reflect.getMetadata(ON_DEAD_LETTER, method) as DeadLetterFilterBy | undefined)
    : undefined;
}

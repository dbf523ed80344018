import { deadLetterOfDelivery } from '../task/dead-letter-of.js';
import type { DeadLetterOutcome } from '../task/task-outcome.js';
import type { Fact } from './fact.interface.js';
import { rowOf } from './facts.js';
import type { TaskEvent } from './task-event.interface.js';

/**
 * A fact as `@OnTaskEvent` hears it, a dead one with its letter.
 *
 * @param maxHeaders The most headers that are read of a dead letter.
 */
export function toTaskEvent({ name, fields, delivery, outcome }: Fact, maxHeaders: number): TaskEvent {
  const event = { kind: name, ...fields };
  if (!rowOf(name).hasLetter || delivery === undefined || outcome === undefined) return event as TaskEvent;
  return { ...event, letter: deadLetterOfDelivery(delivery, outcome as DeadLetterOutcome, maxHeaders) } as TaskEvent;
}

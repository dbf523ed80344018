import type { DeadLetter } from 'nestjs-task-streams';
import type { ShopQueue } from '../tasks/shop-queues.js';
import { withoutStack, type TaskError } from '../tasks/task-view.js';

/** A dead letter as the HTTP interface shows it. */
export interface DeadLetterView {
  readonly entryId: string | undefined;
  readonly taskId: string;
  readonly name: string;
  readonly reason: DeadLetter['reason'];
  readonly error: TaskError | undefined;
  readonly failedAttempts: number;
  readonly redriveCount: number;
  readonly diedAt: Date;
  /** The payload as it was sent: as JSON, or as text where it is none. */
  readonly payload: unknown;
  readonly links: { readonly redrive: string; readonly discard: string };
}

export function toDeadLetterView(queue: ShopQueue, letter: DeadLetter): DeadLetterView {
  const self = `/dead-letters/${letter.entryId}`;
  return {
    entryId: letter.entryId,
    taskId: letter.taskId,
    name: letter.name,
    reason: letter.reason,
    error: letter.error && withoutStack(letter.error),
    failedAttempts: letter.failedAttempts,
    redriveCount: letter.redriveCount,
    diedAt: new Date(letter.at),
    payload: parse(letter.body),
    links: { redrive: `${self}/redrive?queue=${queue}`, discard: `${self}?queue=${queue}` },
  };
}

function parse(body: string | undefined): unknown {
  try {
    return body === undefined ? undefined : (JSON.parse(body) as unknown);
  } catch {
    return body;
  }
}

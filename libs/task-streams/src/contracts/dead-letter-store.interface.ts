import type { DeadLetter } from '../task/dead-letter.js';
import type { TaskMeta } from '../task/task-meta.js';

/** One page of dead letters. */
export interface DeadLetterPage {
  readonly letters: readonly DeadLetter[];
  /** Give it to the next call to go on; `undefined` at the end. */
  readonly cursor: string | undefined;
}

/** How a dead letter goes back to its queue. */
export interface RedrivePlan {
  readonly entryId: string;
  readonly meta: TaskMeta;
  /** A mended payload and its hash; `undefined` to send it as it was. */
  readonly body: { readonly json: string; readonly hash: string } | undefined;
}

export type RedriveReply =
  | { readonly kind: 'redriven'; readonly taskId: string; readonly name: string; readonly entryId: string }
  | { readonly kind: 'gone' }
  | { readonly kind: 'unreadable' };

/** Keeps what was set aside. */
export interface DeadLetterStore {
  countDeadLetters(queue: string): Promise<number>;
  /** Oldest first. */
  listDeadLetters(queue: string, max: number, cursor: string | undefined): Promise<DeadLetterPage>;
  getDeadLetter(queue: string, entryId: string): Promise<DeadLetter | undefined>;
  redrive(queue: string, plan: RedrivePlan): Promise<RedriveReply>;
}

import type { DeadLetter } from '../task/dead-letter.js';

/** Who reads the dead letters of a queue, each of them once. */
export interface DeadLetterReader {
  readonly queue: string;
  /** Processes that share it share the letters; each group sees every letter. */
  readonly group: string;
}

/** One dead letter, handed out. */
export interface FedLetter {
  readonly letter: DeadLetter;
  readonly entryId: string;
  /** How often it was handed out, this time included. */
  readonly deliveryCount: number;
}

export interface FeedRequest {
  /** Where a group that is not there begins: with what dies from now on, or with all that is there. */
  readonly from: 'new' | 'all';
  /** Milliseconds after which a letter that was handed out and not finished is handed out again. */
  readonly idleMs: number;
  /** Where the last look at unfinished letters ended, `0-0` to begin. */
  readonly cursor: string;
}

/** Hands dead letters out to those who look after them. A letter stays where it is, whatever becomes of the hand-out. */
export interface DeadLetterFeed {
  takeDeadLetter(
    reader: DeadLetterReader,
    request: FeedRequest,
  ): Promise<{ readonly taken: FedLetter | undefined; readonly cursor: string }>;
  /** Says that the letter need not be handed out again. */
  finishDeadLetter(reader: DeadLetterReader, entryId: string): Promise<void>;
  /** Forgets this process as a reader, and others that are gone. */
  leaveDeadLetters(reader: DeadLetterReader): Promise<void>;
}

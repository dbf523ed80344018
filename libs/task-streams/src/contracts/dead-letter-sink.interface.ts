import type { DeadLetter } from '../task/dead-letter.js';

/**
 * Where dead letters go beside, or instead of, the dead-letter stream. Bind your own under the token
 * `DEAD_LETTER_SINK`. When it throws, or does not answer within ten seconds, the letter is kept in the stream: a broken sink
 * loses nothing.
 *
 * @publicApi
 */
export interface DeadLetterSink {
  /** True: a letter this sink took is not kept in the stream. False: the stream keeps it too. */
  readonly replacesStream: boolean;
  /** Takes one letter. It may come twice: the worker can die between this call and the settlement. */
  take(letter: DeadLetter): Promise<void>;
}

import { decodeWhoAndWhy, type WhoAndWhy } from './who-and-why.js';

/**
 * Who asked for a task to stop, when and why.
 *
 * @publicApi
 */
export type CancelRequest = WhoAndWhy;

/** Reads a mark of the hash `cancels`: how long the record is kept, and the request. */
export function decodeCancelMark(mark: string): CancelRequest {
  return decodeWhoAndWhy(mark.slice(mark.indexOf(' ') + 1));
}

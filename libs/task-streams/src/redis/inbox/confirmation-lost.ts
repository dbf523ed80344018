import type { AppendReply } from '../../contracts/inbox-store.interface.js';

/**
 * The server took the tasks, and the connection that carried them is gone, or its server is no primary any more: nobody can
 * be asked about them now. They are sent again with the same ids.
 */
export class ConfirmationLostError extends Error {
  constructor(
    /** What the server had answered. */
    readonly replies: readonly AppendReply[],
    /** The durability that was asked for. */
    readonly wanted: string,
    cause: unknown,
  ) {
    const why = cause instanceof Error ? ` (${cause.message})` : '';
    super(`the connection that carried it broke before the answer${why}`, { cause });
  }
}

import type { RedisClient } from './redis-client.js';

const ATTEMPT_PAUSE_MS = 20;
const GIVE_UP_MS = 500;

/**
 * A connection that is about to block, or blocks. Its wait can be ended from outside by CLIENT UNBLOCK, which loses no
 * answer that is on its way; closing the socket would lose it.
 */
export class ReaderConnection {
  private clientId: unknown;
  private blocked = false;
  private isInterrupted = false;

  constructor(
    readonly client: RedisClient,
    private readonly command: () => RedisClient,
  ) {
    // A reconnect gives a new id. In a Cluster the id is one of many nodes, and of no use.
    if ('nodes' in client) return;
    const learn = () => {
      client.call('client', 'id').then(
        (id) => (this.clientId = id),
        () => (this.clientId = undefined),
      );
    };
    client.on('ready', learn);
    if (client.status === 'ready') learn();
  }

  /** Waits until the connection is ready and runs a blocking call; `undefined` where the wait was ended before. */
  async block<T>(ready: () => Promise<Error | undefined>, call: () => Promise<T>): Promise<T | undefined> {
    this.blocked = true;
    this.isInterrupted = false;
    try {
      const error = await ready();
      if (this.isInterrupted) return undefined;
      if (error) throw error;
      return await call();
    } finally {
      this.blocked = false;
    }
  }

  /** Ends a blocking call. Answers false where it could not, so that the connection has to be dropped. */
  async unblock(): Promise<boolean> {
    this.isInterrupted = true;
    // Again and again: a call that has not reached the server yet cannot be ended there.
    for (let waitedMs = 0; this.blocked && waitedMs < GIVE_UP_MS; waitedMs += ATTEMPT_PAUSE_MS) {
      if (this.clientId !== undefined && this.client.status === 'ready') {
        this.command()
          .call('client', 'unblock', this.clientId as number)
          .catch(() => undefined);
      }
      await new Promise((resolve) => setTimeout(resolve, ATTEMPT_PAUSE_MS));
    }
    return !this.blocked;
  }
}

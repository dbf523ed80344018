import { pause } from '../../time/pause.js';
import type { RedisClient } from './redis-client.js';
import { READY_TIMEOUT_MS } from './redis-session.js';
import type { Route } from './route.js';
import type { Servers } from './servers.js';

const ATTEMPT_PAUSE_MS = 20;
const GIVE_UP_MS = 500;

/**
 * A connection that is about to block, or blocks. Its wait can be ended from outside by CLIENT UNBLOCK, which loses no
 * answer that is on its way; closing the socket would lose it.
 */
export class ReaderConnection {
  private client: RedisClient | undefined;
  private clientId: unknown;
  private blocked = false;
  private isInterrupted = false;

  constructor(
    private readonly route: Route,
    private readonly servers: Servers,
  ) {}

  /** Waits until the connection is ready and runs a blocking call; `undefined` where the wait was ended before. */
  async block<T>(call: (client: RedisClient) => Promise<T>): Promise<T | undefined> {
    this.blocked = true;
    this.isInterrupted = false;
    let isCalled = false;
    try {
      return await this.route.run(READY_TIMEOUT_MS, async (client) => {
        if (this.isInterrupted) return undefined;
        this.use(client);
        isCalled = true;
        return call(client);
      });
    } catch (error) {
      // A call that failed may have been answered with tasks.
      if (this.isInterrupted && !isCalled) return undefined;
      throw error;
    } finally {
      this.blocked = false;
    }
  }

  /** Ends a blocking call. Answers false where it could not, so that the connection has to be dropped. */
  async unblock(): Promise<boolean> {
    this.isInterrupted = true;
    // Again and again: a call that has not reached the server yet cannot be ended there.
    for (let waitedMs = 0; this.blocked && waitedMs < GIVE_UP_MS; waitedMs += ATTEMPT_PAUSE_MS) {
      if (this.clientId !== undefined && this.client?.status === 'ready') {
        this.servers
          .beside(this.client)
          .call('client', 'unblock', this.clientId as number)
          .catch(() => undefined);
      }
      await pause(ATTEMPT_PAUSE_MS);
    }
    return !this.blocked;
  }

  /** Ends a blocking call with its connection. */
  drop(): void {
    if (this.client) this.servers.drop(this.client);
  }

  /** On a Cluster the slot of the queue may have gone to another server, and with it the connection. */
  private use(client: RedisClient): void {
    if (client === this.client) return;
    this.client = client;
    this.clientId = undefined;
    // A reconnect gives a new id.
    const learn = () => {
      if (client !== this.client) return;
      client.call('client', 'id').then(
        (id) => (this.clientId = id),
        () => (this.clientId = undefined),
      );
    };
    client.on('ready', learn);
    learn();
  }
}

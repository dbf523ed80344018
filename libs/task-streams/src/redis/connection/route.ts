import type { RedisClient } from './redis-client.js';
import type { Servers } from './servers.js';
import { isReady } from './when-ready.js';
import type { ConnectionRole } from '../../options/task-streams-options.js';

/** A slot is elsewhere, and there it is elsewhere again: two moves at once, or servers that do not agree. */
const MOST_REDIRECTS = 5;

/** The way to the server of one key, for one role. */
export class Route {
  constructor(
    private readonly servers: Servers,
    private readonly role: ConnectionRole,
    private readonly key: string,
  ) {}

  /** The client, where it is ready now. */
  ready(): RedisClient | undefined {
    const client = this.servers.clientFor(this.role, this.key);
    return client && isReady(client) ? client : undefined;
  }

  /** The client, when it is ready. @throws the error of the connection when it is not within so long. */
  open(timeoutMs: number): Promise<RedisClient> {
    return this.servers.open(this.role, this.key, timeoutMs);
  }

  /**
   * Does work with the client; again where the server answers that another one has the key, and so has carried out nothing.
   *
   * @throws the error of the connection; what the work throws.
   */
  async run<T>(timeoutMs: number, work: (client: RedisClient) => Promise<T>): Promise<T> {
    for (let redirects = 0; ; redirects += 1) {
      const client = this.ready() ?? (await this.open(timeoutMs));
      try {
        return await work(client);
      } catch (error) {
        if (redirects === MOST_REDIRECTS || !(await this.follow(error))) throw error;
      }
    }
  }

  /** Whether the error says that the key is on another server, which was found. */
  follow(error: unknown): Promise<boolean> {
    return this.servers.follow(this.key, error);
  }

  /** Where it leads to, for messages. */
  get address(): string {
    return this.servers.addressOf(this.key);
  }
}

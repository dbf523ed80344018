import type { ConnectionRole } from '../../options/task-streams-options.js';
import { classifyRedisError } from '../../policy/redis-error.js';
import { READY_TIMEOUT_MS, type RedisSession } from '../connection/redis-session.js';

/** The key that lists the queues there are, and which of them this process has noted there. */
export class KnownQueues {
  private readonly noted = new Set<string>();

  constructor(private readonly session: RedisSession) {}

  /** Whether this process has noted the queue. */
  knows(queue: string): boolean {
    return this.noted.has(queue);
  }

  /**
   * Notes that this process uses a queue, once something worked there. The queues are in one key, outside of their slots, so
   * no script can do it. Nobody waits for it, and a user who may not write there works all the same: the queue is not
   * listed then.
   */
  noteAfter(work: Promise<unknown>, queue: string, role: ConnectionRole): void {
    void work
      .then(() => {
        const route = this.session.connections.route(role, this.key);
        if (this.noted.has(queue)) return undefined;
        this.noted.add(queue);
        return route.run(READY_TIMEOUT_MS, (client) => client.zadd(this.key, Date.now(), queue));
      })
      .catch((error: unknown) => {
        // A right that is missing is not asked for each time.
        if (classifyRedisError(error) === 'connection') this.noted.delete(queue);
      });
  }

  async list(max: number): Promise<string[]> {
    const route = this.session.connections.route('command', this.key);
    return this.session.forUser(async () => {
      try {
        return await route.run(READY_TIMEOUT_MS, (client) => client.zrange(this.key, '0', `${max - 1}`, 'REV'));
      } catch (error) {
        if (classifyRedisError(error) === 'wrong-type') throw this.overwritten(error);
        throw error;
      }
    });
  }

  private overwritten(cause: unknown): Error {
    return new Error(
      `The key "${this.key}" holds no sorted set: another program wrote over it. Delete or rename it; each process names its ` +
        'queues in it again when it starts.',
      { cause },
    );
  }

  private get key(): string {
    return `${this.session.options.prefix}:queues`;
  }
}

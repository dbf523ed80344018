import type { QueueCatalog, WorkerHeartbeat, WorkerInfo } from '../contracts/queue-catalog.interface.js';
import type { ConnectionRole } from '../options/task-streams-options.js';
import { classifyRedisError } from '../policy/redis-error.js';
import { READY_TIMEOUT_MS, type RedisSession } from './redis-session.js';

type WorkerRow = readonly [name: string, pending: number, idleMs: number, heartbeat: string];

/** Knows which queues there are, and who works on them. */
export class RedisQueueCatalog implements QueueCatalog {
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

  async listQueues(max: number): Promise<string[]> {
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

  async listWorkers(queue: string, max: number): Promise<WorkerInfo[]> {
    const rows = (await this.session.runFor('workers', queue, [max])) as WorkerRow[];
    return rows.map(([name, pendingCount, idleMs, heartbeat]) => {
      const [nonce = '', pid = '', ...host] = name.split(':').toReversed();
      const where = { host: host.toReversed().join(':'), pid: Number(pid) || 0, nonce };
      return { name, ...where, pendingCount, idleMs, heartbeat: decodeHeartbeat(heartbeat) };
    });
  }

  canFollow(queue: string, next: string): boolean {
    const { connections } = this.session;
    return connections.servers.areTogether(this.session.keys(queue).stream, this.session.keys(next).stream);
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

function decodeHeartbeat(text: string): WorkerHeartbeat | undefined {
  const space = text.indexOf(' ');
  if (space < 0) return undefined;
  try {
    const { version, running, concurrency, startedAt } = JSON.parse(text.slice(space + 1)) as Record<string, unknown>;
    return {
      at: new Date(Number(text.slice(0, space))),
      version: String(version),
      runningCount: Number(running) || 0,
      concurrency: Number(concurrency) || 0,
      startedAt: new Date(Number(startedAt) || 0),
    };
  } catch {
    return undefined;
  }
}

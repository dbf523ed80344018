import type { BootReport, ServerReport, ServerStore } from '../../contracts/server-store.interface.js';
import { checkServer } from './boot-check.js';
import { detectServers } from './detect-servers.js';
import type { RedisSession } from '../connection/redis-session.js';

/** The server, and the connections to it. */
export class RedisServer implements ServerStore {
  constructor(private readonly session: RedisSession) {}

  async report(): Promise<ServerReport> {
    return detectServers(this.session, await this.session.primaries());
  }

  async check(queues: readonly string[] = []): Promise<BootReport> {
    return this.session.forUser(() => checkServer(this.session, queues));
  }

  async checkWrites(queue: string): Promise<void> {
    await this.session.run('probe', queue, []);
  }

  close(): Promise<void> {
    return this.session.connections.close();
  }
}

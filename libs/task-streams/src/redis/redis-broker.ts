import type { Broker } from '../contracts/broker.interface.js';
import type { ResolvedOptions } from '../options/resolved-options.js';
import { ChangeLog } from './tasks/change-log.js';
import { KnownQueues } from './queues/known-queues.js';
import { RedisDeadLetters } from './dead-letters/redis-dead-letters.js';
import { RedisInbox } from './inbox/redis-inbox.js';
import { RedisQueues } from './queues/redis-queues.js';
import { RedisServer } from './server/redis-server.js';
import { RedisSession, type ServerDetector } from './connection/redis-session.js';
import { RedisTasks } from './tasks/redis-tasks.js';
import { RedisWork } from './deliveries/redis-work.js';

/** Tasks kept in Redis Streams. */
export class RedisBroker implements Broker {
  readonly session: RedisSession;
  readonly workerName: string;
  readonly inbox: RedisInbox;
  readonly work: RedisWork;
  readonly tasks: RedisTasks;
  readonly deadLetters: RedisDeadLetters;
  readonly queues: RedisQueues;
  readonly server: RedisServer;

  /** @param detectServer How to find out about the server; tests give another one. */
  constructor(options: ResolvedOptions, detectServer?: ServerDetector) {
    this.session = new RedisSession(options, detectServer);
    this.workerName = this.session.identity.name;
    const known = new KnownQueues(this.session);
    const changes = new ChangeLog(this.session);
    this.inbox = new RedisInbox(this.session, known, changes);
    this.work = new RedisWork(this.session, known);
    this.tasks = new RedisTasks(this.session, changes);
    this.deadLetters = new RedisDeadLetters(this.session);
    this.queues = new RedisQueues(this.session, known);
    this.server = new RedisServer(this.session);
  }
}

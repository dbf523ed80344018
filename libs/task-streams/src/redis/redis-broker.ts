import type { AuditLog } from '../contracts/audit-log.interface.js';
import type {
  AppendBatchReply,
  Broker,
  Delivery,
  Durability,
  Ownership,
  ReclaimReply,
  SettleReply,
  Settlement,
  TurnReply,
} from '../contracts/broker.interface.js';
import type { QueueDepth, QueueReport } from '../contracts/queue-inspector.interface.js';
import type { BootReport, ServerReport } from '../contracts/server-report.interface.js';
import type { DeadLetterFeed } from '../contracts/dead-letter-feed.interface.js';
import type { DeadLetterStore } from '../contracts/dead-letter-store.interface.js';
import type { QueueCatalog } from '../contracts/queue-catalog.interface.js';
import type { QueueControlStore } from '../contracts/queue-control.interface.js';
import type { PromoteReply } from '../contracts/task-promoter.interface.js';
import type { TaskChangeLog } from '../contracts/task-changes.interface.js';
import type { TaskLister } from '../contracts/task-lister.interface.js';
import type { TaskLog } from '../contracts/task-log.interface.js';
import type { TaskControl } from '../contracts/task-control.interface.js';
import type { ResolvedOptions } from '../options/resolved-options.js';
import type { EnqueueItem } from '../task/task-outcome.js';
import type { TaskRecord } from '../task/task-record.js';
import { checkServer } from './boot-check.js';
import { decodeDeadLetter } from './decode-dead-letter.js';
import { RedisAppender } from './redis-appender.js';
import { RedisAuditLog } from './redis-audit-log.js';
import { RedisDeadLetterActions } from './redis-dead-letter-actions.js';
import { RedisDeadLetterFeed } from './redis-dead-letter-feed.js';
import { RedisDeadLetters } from './redis-dead-letters.js';
import { RedisInspector } from './redis-inspector.js';
import { RedisLeases } from './redis-leases.js';
import { RedisQueueCatalog } from './redis-queue-catalog.js';
import { RedisQueueControl } from './redis-queue-control.js';
import { RedisPromoter, RedisRecords } from './redis-records.js';
import { RedisSession, type ServerDetector } from './redis-session.js';
import { RedisSource } from './redis-source.js';
import { RedisTaskChanges } from './redis-task-changes.js';
import { RedisTaskControl } from './redis-task-control.js';
import { RedisTaskLister } from './redis-task-lister.js';
import { RedisTaskLog } from './redis-task-log.js';
import { RedisTurner } from './redis-turner.js';

/** Tasks kept in Redis Streams. It only joins its parts; each port is a class of its own. */
export class RedisBroker implements Broker {
  readonly session: RedisSession;
  readonly workerName: string;
  private readonly appender: RedisAppender;
  private readonly source: RedisSource;
  private readonly turner: RedisTurner;
  private readonly leases: RedisLeases;
  private readonly promoter: RedisPromoter;
  private readonly records: RedisRecords;
  private readonly deadLetters: RedisDeadLetters;
  private readonly letterActions: RedisDeadLetterActions;
  private readonly feed: RedisDeadLetterFeed;
  private readonly auditLog: RedisAuditLog;
  private readonly inspector: RedisInspector;
  private readonly control: RedisTaskControl;
  private readonly queues: RedisQueueControl;
  private readonly catalog: RedisQueueCatalog;
  private readonly lister: RedisTaskLister;
  private readonly log: RedisTaskLog;
  private readonly changes: RedisTaskChanges;

  /** @param detectServer How to find out about the server; tests give another one. */
  constructor(options: ResolvedOptions, detectServer?: ServerDetector) {
    this.session = new RedisSession(options, detectServer);
    this.workerName = this.session.identity.name;
    this.changes = new RedisTaskChanges(this.session);
    this.appender = new RedisAppender(this.session);
    this.source = new RedisSource(this.session);
    this.turner = new RedisTurner(this.session);
    this.leases = new RedisLeases(this.session);
    this.promoter = new RedisPromoter(this.session);
    this.records = new RedisRecords(this.session, this.changes);
    this.deadLetters = new RedisDeadLetters(this.session);
    this.letterActions = new RedisDeadLetterActions(this.session);
    this.feed = new RedisDeadLetterFeed(this.session, this.deadLetters);
    this.auditLog = new RedisAuditLog(this.session);
    this.inspector = new RedisInspector(this.session);
    this.control = new RedisTaskControl(this.session, this.changes);
    this.queues = new RedisQueueControl(this.session);
    this.catalog = new RedisQueueCatalog(this.session);
    this.lister = new RedisTaskLister(this.session);
    this.log = new RedisTaskLog(this.session);
  }

  append(queue: string, items: readonly EnqueueItem[], durability: Durability): Promise<AppendBatchReply> {
    const appended = this.appender.append(queue, items, durability);
    if (!this.catalog.knows(queue)) this.catalog.noteAfter(appended, queue, 'producer');
    return this.changes.hasChanges(queue) ? this.changes.publishAdded(queue, items, appended) : appended;
  }

  ensureQueue(queue: string): ReturnType<Broker['ensureQueue']> {
    const ensured = this.source.ensureQueue(queue);
    if (!this.catalog.knows(queue)) this.catalog.noteAfter(ensured, queue, 'command');
    return ensured;
  }

  turn(queue: string, settlements: readonly Settlement[], max: number): Promise<TurnReply> {
    return this.turner.turn(queue, settlements, max);
  }

  /** A turn that only hands out. */
  read(queue: string, max: number): Promise<Delivery[]> {
    return this.turner.read(queue, max);
  }

  /** A turn that only settles. */
  settle(queue: string, settlements: readonly Settlement[]): Promise<readonly SettleReply[]> {
    return this.turner.settle(queue, settlements);
  }

  waitAndRead(queue: string, max: number): ReturnType<Broker['waitAndRead']> {
    return this.source.waitAndRead(queue, max);
  }

  recover(queue: string, known: ReadonlySet<string>, max: number): ReturnType<Broker['recover']> {
    return this.source.recover(queue, known, max);
  }

  interrupt(queue: string): Promise<void> {
    return this.source.interrupt(queue);
  }

  renew(...args: Parameters<Broker['renew']>): ReturnType<Broker['renew']> {
    return this.leases.renew(...args);
  }

  begin(suspect: Delivery, deliveryCount: number): Promise<boolean> {
    return this.leases.begin(suspect, deliveryCount);
  }

  reclaim(queue: string, max: number, cursor: string): Promise<ReclaimReply> {
    return this.leases.reclaim(queue, max, cursor);
  }

  prune(queue: string, idleMs: number): Promise<number> {
    return this.leases.prune(queue, idleMs);
  }

  promote(queue: string): Promise<PromoteReply> {
    return this.promoter.promote(queue);
  }

  get(queue: string, id: string): Promise<TaskRecord | undefined> {
    return this.records.get(queue, id);
  }

  reportProgress(owner: Ownership, json: string): Promise<boolean> {
    return this.records.reportProgress(owner, json);
  }

  countDeadLetters: DeadLetterStore['countDeadLetters'] = (queue) => this.deadLetters.countDeadLetters(queue);
  listDeadLetters: DeadLetterStore['listDeadLetters'] = (...args) => this.deadLetters.listDeadLetters(...args);
  getDeadLetter: DeadLetterStore['getDeadLetter'] = (...args) => this.deadLetters.getDeadLetter(...args);
  readRawDeadLetters: DeadLetterStore['readRawDeadLetters'] = (...args) => this.deadLetters.readRawDeadLetters(...args);
  decodeDeadLetter: DeadLetterStore['decodeDeadLetter'] = decodeDeadLetter;
  listFailureGroups: DeadLetterStore['listFailureGroups'] = (queue) => this.deadLetters.listFailureGroups(queue);
  readDeadLetterTotals: DeadLetterStore['readDeadLetterTotals'] = (queue) =>
    this.deadLetters.readDeadLetterTotals(queue);
  redrive: DeadLetterStore['redrive'] = (...args) => this.letterActions.redrive(...args);
  checkRedrive: DeadLetterStore['checkRedrive'] = (...args) => this.letterActions.checkRedrive(...args);
  previewDeadLetters: DeadLetterStore['previewDeadLetters'] = (...args) =>
    this.letterActions.previewDeadLetters(...args);
  discard: DeadLetterStore['discard'] = (...args) => this.letterActions.discard(...args);
  importDeadLetters: DeadLetterStore['importDeadLetters'] = (...args) => this.letterActions.importDeadLetters(...args);
  trimDeadLetters: DeadLetterStore['trimDeadLetters'] = (...args) => this.letterActions.trimDeadLetters(...args);
  takeDeadLetter: DeadLetterFeed['takeDeadLetter'] = (...args) => this.feed.takeDeadLetter(...args);
  finishDeadLetter: DeadLetterFeed['finishDeadLetter'] = (...args) => this.feed.finishDeadLetter(...args);
  leaveDeadLetters: DeadLetterFeed['leaveDeadLetters'] = (reader) => this.feed.leaveDeadLetters(reader);
  recordAction: AuditLog['recordAction'] = (...args) => this.auditLog.recordAction(...args);
  listActions: AuditLog['listActions'] = (...args) => this.auditLog.listActions(...args);

  cancel: TaskControl['cancel'] = (...args) => this.control.cancel(...args);
  reschedule: TaskControl['reschedule'] = (...args) => this.control.reschedule(...args);
  pause: QueueControlStore['pause'] = (...args) => this.queues.pause(...args);
  resume: QueueControlStore['resume'] = (queue) => this.queues.resume(queue);
  getPause: QueueControlStore['getPause'] = (queue) => this.queues.getPause(queue);
  beginDrain: QueueControlStore['beginDrain'] = (...args) => this.queues.beginDrain(...args);
  endDrain: QueueControlStore['endDrain'] = (...args) => this.queues.endDrain(...args);
  drainStep: QueueControlStore['drainStep'] = (...args) => this.queues.drainStep(...args);
  forgetId: QueueControlStore['forgetId'] = (...args) => this.queues.forgetId(...args);
  forgetKey: QueueControlStore['forgetKey'] = (...args) => this.queues.forgetKey(...args);
  listQueues: QueueCatalog['listQueues'] = (max) => this.catalog.listQueues(max);
  listWorkers: QueueCatalog['listWorkers'] = (...args) => this.catalog.listWorkers(...args);
  canFollow: QueueCatalog['canFollow'] = (...args) => this.catalog.canFollow(...args);
  listTasks: TaskLister['listTasks'] = (...args) => this.lister.listTasks(...args);
  appendLog: TaskLog['appendLog'] = (...args) => this.log.appendLog(...args);
  readLog: TaskLog['readLog'] = (...args) => this.log.readLog(...args);
  get isClosed(): boolean {
    return this.session.connections.isClosed;
  }

  hasChanges: TaskChangeLog['hasChanges'] = (queue) => this.changes.hasChanges(queue);
  publish: TaskChangeLog['publish'] = (...args) => this.changes.publish(...args);
  readChanges: TaskChangeLog['readChanges'] = (...args) => this.changes.readChanges(...args);
  lastChange: TaskChangeLog['lastChange'] = (queue) => this.changes.lastChange(queue);

  depth(queue: string): Promise<QueueDepth> {
    return this.inspector.depth(queue);
  }

  checkWrites(queue: string): Promise<void> {
    return this.inspector.checkWrites(queue);
  }

  inspect(queue: string, liveMs: number): Promise<QueueReport> {
    return this.inspector.inspect(queue, liveMs);
  }

  server(): Promise<ServerReport> {
    return this.inspector.server();
  }

  async check(queues: readonly string[] = []): Promise<BootReport> {
    return this.session.forUser(() => checkServer(this.session, queues));
  }

  async leave(queue: string): Promise<void> {
    // A worker that cannot say goodbye leaves an idle consumer behind, which costs less than a stop that hangs.
    if (!this.session.route('command', queue).ready()) return;
    await this.session.run('leave', queue, [this.workerName]);
  }

  close(): Promise<void> {
    return this.session.connections.close();
  }
}

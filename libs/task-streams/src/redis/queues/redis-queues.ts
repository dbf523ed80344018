import type {
  AuditAction,
  AuditPage,
  DrainBounds,
  DrainReply,
  DrainStep,
  ForgetIdReply,
  ForgetKeyReply,
  QueueReport,
  QueueStore,
  WorkerInfo,
} from '../../contracts/queue-store.interface.js';
import { keyScope } from '../../task/names.js';
import type { TaskState } from '../../task/task-state.js';
import { decodeWhoAndWhy, encodeWhoAndWhy, type WhoAndWhy } from '../../task/who-and-why.js';
import { auditArguments, decodeAuditRecord } from './audit-codec.js';
import type { KnownQueues } from './known-queues.js';
import { leaveTogether } from '../connection/leave-together.js';
import { decodeReport, decodeWorker, type ReportRow, type WorkerRow } from './queue-codec.js';
import type { RedisSession } from '../connection/redis-session.js';
import { runScript } from '../connection/run-script.js';

/** Tasks one call looks at, about 5 ms: Redis serves nobody else meanwhile. A megabyte of payloads ends it, too. */
const DRAIN_BATCH = 200;

/** Whole queues: stops, empties and shows them, and keeps what people did to them in the stream `audit`. */
export class RedisQueues implements QueueStore {
  constructor(
    private readonly session: RedisSession,
    private readonly known: KnownQueues,
  ) {}

  async pause(queue: string, who: Omit<WhoAndWhy, 'at'>): Promise<boolean> {
    return (await this.session.runFor('pause', queue, [encodeWhoAndWhy(who)])) === 1;
  }

  async resume(queue: string): Promise<boolean> {
    return (await this.session.runFor('pause', queue, [''])) === 1;
  }

  async getPause(queue: string): Promise<WhoAndWhy | undefined> {
    const { meta } = this.session.keys(queue);
    const paused = await this.session.ask(queue, (client) => client.hget(meta, 'paused'));
    return paused === null ? undefined : decodeWhoAndWhy(paused);
  }

  async beginDrain(queue: string, isWithDelayed: boolean): Promise<DrainBounds> {
    const reply = await this.session.runFor('drain', queue, ['begin', isWithDelayed ? 1 : 0]);
    const [waiting, dead, mark] = reply as [string, string, string];
    return { waiting, dead, mark };
  }

  async drainStep(queue: string, step: DrainStep): Promise<DrainReply> {
    const { place, bounds, cursor = '', recordMs, by, reason } = step;
    const bound = place === 'delayed' ? '' : bounds[place];
    const args = [place, DRAIN_BATCH, cursor, bound, bounds.mark, recordMs, encodeWhoAndWhy({ by, reason })];
    const reply = await this.session.runFor('drain', queue, args);
    const [removedCount, next, error] = reply as [number, string, string];
    return { removedCount, cursor: next || undefined, error: error || undefined };
  }

  async endDrain(queue: string, { mark }: DrainBounds): Promise<number> {
    return mark === '' ? 0 : ((await this.session.runFor('drain', queue, ['end', mark])) as number);
  }

  async forgetId(queue: string, id: string): Promise<ForgetIdReply> {
    const reply = await this.session.runFor('forget-id', queue, [id]);
    const [kind, state] = reply as [ForgetIdReply['kind'], TaskState | ''];
    return { kind, state: state || undefined };
  }

  async forgetKey(queue: string, taskName: string, key: string): Promise<ForgetKeyReply> {
    const kind = await this.session.runFor('forget-key', queue, [keyScope(taskName, key)]);
    return { kind: kind as ForgetKeyReply['kind'] };
  }

  list(max: number): Promise<string[]> {
    return this.known.list(max);
  }

  async listWorkers(queue: string, max: number): Promise<WorkerInfo[]> {
    const rows = (await this.session.runFor('workers', queue, [max])) as WorkerRow[];
    return rows.map(decodeWorker);
  }

  canFollow(queue: string, next: string): boolean {
    const { connections } = this.session;
    return connections.servers.areTogether(this.session.keys(queue).stream, this.session.keys(next).stream);
  }

  async inspect(queue: string): Promise<QueueReport> {
    const { session } = this;
    const asked = session.command(queue, (client) => {
      // A scrape asks about every queue at once.
      leaveTogether(client);
      return runScript(client, session.script('inspect'), session.keys(queue).stream, []);
    });
    return decodeReport((await asked) as ReportRow);
  }

  async recordAction(
    queue: string,
    action: AuditAction,
    counts: Readonly<Record<string, number>>,
    earlierId?: string,
  ): Promise<string> {
    return (await this.session.runFor('audit', queue, auditArguments(action, earlierId, counts))) as string;
  }

  async listActions(queue: string, max: number, cursor: string | undefined): Promise<AuditPage> {
    const { audit } = this.session.keys(queue);
    const from = cursor === undefined ? '+' : `(${cursor}`;
    const entries = await this.session.ask(queue, (client) => client.xrevrange(audit, from, '-', 'COUNT', max));
    const records = entries.map(([id, fields]) => decodeAuditRecord(queue, id, fields));
    return { records, cursor: entries.length === max ? entries.at(-1)?.[0] : undefined };
  }
}

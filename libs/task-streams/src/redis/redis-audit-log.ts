import type { AuditAction, AuditLog, AuditPage } from '../contracts/audit-log.interface.js';
import { auditArguments, decodeAuditRecord } from './audit-codec.js';
import type { RedisSession } from './redis-session.js';

/** Keeps what people did to a queue, in the stream `audit`. */
export class RedisAuditLog implements AuditLog {
  constructor(private readonly session: RedisSession) {}

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

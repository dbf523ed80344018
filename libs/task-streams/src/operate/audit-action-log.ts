import { Logger } from '@nestjs/common';
import type { AuditTrail } from './audit-trail.js';
import type { ActionLog, ManualAction } from './action-log.interface.js';

/** Writes what is done by hand to the audit log of its queue, and to Nest's log. */
export class AuditActionLog implements ActionLog {
  readonly #logger = new Logger('TaskStreams');

  constructor(private readonly trail: Pick<AuditTrail, 'record'>) {}

  async record(manual: ManualAction): Promise<void> {
    const { action, queue, actor, reason, counts } = manual;
    const why = reason === undefined ? '' : `: ${reason}`;
    this.#logger.log(`${subjectOf(manual)}: ${action} by ${actor ?? 'somebody'}${why}`, {
      event: `manual.${action}`,
      ...manual,
    });
    await this.trail.record(queue, action, {
      ...(actor ? { actor } : {}),
      ...(reason === undefined ? {} : { reason }),
      ...(counts === undefined ? {} : { counts }),
      scope: scopeOf(manual),
    });
  }
}

function subjectOf({ queue, taskId, taskName, key }: ManualAction): string {
  if (key !== undefined) return `Key "${key}" of task "${taskName}" in queue "${queue}"`;
  return taskId === undefined ? `Queue "${queue}"` : `Task ${taskId} of queue "${queue}"`;
}

function scopeOf({ taskId, taskName, key }: ManualAction): object | undefined {
  if (key !== undefined) return { task: taskName, key };
  return taskId === undefined ? undefined : { taskId };
}

import type { ActionOptions } from './check-action.js';
import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { AuditPage, QueueStore } from '../contracts/queue-store.interface.js';
import { BROKER } from '../contracts/tokens.js';
import { UsageError } from '../task/config-errors.js';
import { requireEntryId, requireQueueName } from '../task/names.js';

const DEFAULT_PAGE = 50;
const MAX_PAGE = 1_000;

/**
 * What people did to a queue: the last 10 000 or so actions.
 *
 * @publicApi
 */
@Injectable()
export class AuditTrail {
  constructor(
    @Inject(BROKER) private readonly broker: { readonly queues: Pick<QueueStore, 'recordAction' | 'listActions'> },
  ) {}

  /** One page of actions, newest first. `limit` is 1 to 1000, default 50. */
  async list(
    queue: string,
    options: { readonly limit?: number; readonly cursor?: string | undefined } = {},
  ): Promise<AuditPage> {
    const limit = Math.min(Math.max(Math.trunc(options.limit ?? DEFAULT_PAGE), 1), MAX_PAGE);
    const cursor = options.cursor === undefined ? undefined : requireEntryId('Cursor', options.cursor);
    return this.broker.queues.listActions(requireQueueName(queue), limit, cursor);
  }

  /**
   * Writes an action of your own down, such as a repair by hand.
   *
   * @param action What was done, in a word.
   * @param scope To what; becomes JSON, cut at 2000 characters.
   * @returns the id of its record.
   */
  async record(
    queue: string,
    action: string,
    details: ActionOptions & { readonly scope?: unknown; readonly counts?: Readonly<Record<string, number>> } = {},
  ): Promise<string> {
    const { scope, counts = {}, ...who } = details;
    return this.broker.queues.recordAction(requireQueueName(queue), auditAction(action, scope, who), counts);
  }
}

/** An action that begins now. */
export function auditAction(action: string, scope: unknown, options: ActionOptions) {
  const { actor = 'unknown', reason = '' } = options;
  if (typeof actor !== 'string' || actor === '') throw new UsageError('The actor of an action must be a name');
  return { action, actor, reason, scope, operation: randomBytes(9).toString('base64url') };
}

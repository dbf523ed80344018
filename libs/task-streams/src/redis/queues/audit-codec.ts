import type { AuditAction, AuditRecord } from '../../contracts/queue-store.interface.js';
import { fieldOf } from '../../task/entry-fields.js';

const MAX_TEXT = 1_000;
const MAX_SCOPE = 2_000;

/** The arguments of an action for lib/audit.lua. */
export function auditArguments(
  action: AuditAction,
  earlierId: string | undefined,
  counts: Readonly<Record<string, number>>,
): string[] {
  const { actor, reason, scope, operation } = action;
  const scopeText = JSON.stringify(scope ?? null).slice(0, MAX_SCOPE);
  return [
    earlierId ?? '',
    action.action,
    actor.slice(0, MAX_TEXT),
    reason.slice(0, MAX_TEXT),
    scopeText,
    operation,
    JSON.stringify(counts),
  ];
}

/** Reads a record of the log. Never throws: what another program wrote is shown as far as it can be. */
export function decodeAuditRecord(queue: string, id: string, fields: readonly string[]): AuditRecord {
  const text = (name: string) => fieldOf(fields, name) ?? '';
  return {
    id,
    queue,
    at: Number(text('at')),
    action: text('action'),
    actor: text('actor'),
    reason: text('reason'),
    scope: parse(text('scope')),
    operation: text('operation'),
    counts: (parse(text('counts')) ?? {}) as Readonly<Record<string, number>>,
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

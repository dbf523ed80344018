import type { Ownership, Retention, Settlement } from '../../contracts/work-store.interface.js';
import { storedDeliveryCount } from '../../task/delivery-count.js';
import { withoutStack } from '../../task/error-description.js';
import {
  assertNever,
  type CompleteOutcome,
  type DeadLetterOutcome,
  type ExpireOutcome,
  type StoredResult,
} from '../../task/task-outcome.js';
import { encodeCompletedRecord } from '../../task/task-record.js';
import { itemArguments } from '../inbox/append-codec.js';
import { failureArgument } from '../dead-letters/decode-failure-group.js';
import { queueKeys } from '../connection/queue-keys.js';
import type { ScriptArgument } from '../connection/run-script.js';

/** What differs between the outcomes; the names are those of lib/settle.lua. */
interface OutcomeArguments {
  readonly kind: 'complete' | 'retry' | 'defer' | 'dead' | 'expired' | 'cancel' | 'release';
  readonly scope?: string | undefined;
  readonly text?: string;
  readonly detail?: string;
  readonly number?: number;
  readonly commitTtlMs?: number;
  readonly reason?: string;
  readonly keep?: boolean;
  readonly failedAttempts?: number;
  readonly failure?: string;
  readonly followUps?: readonly (readonly ScriptArgument[])[];
}

/** A batch of settlements as turn.lua takes it. */
export interface SettleArguments {
  /** Milliseconds the records of the usual ends are kept, the number of these, and all settlements, the usual first. */
  readonly args: readonly ScriptArgument[];
  /** For each settlement of the batch, its place among the replies; `undefined` where nothing was moved. */
  readonly places: readonly number[] | undefined;
}

/** Sorts a batch: the usual ends, which are short, and whatever else there is behind them. */
export function settleArguments(settlements: readonly Settlement[], prefix: string): SettleArguments {
  const keepMs = settlements.find(isUsual)?.retention.recordMs ?? 0;
  const usual: ScriptArgument[] = [];
  const others: Settlement[] = [];
  for (const settlement of settlements) {
    if (isUsual(settlement) && settlement.retention.recordMs === keepMs) pushUsual(usual, settlement);
    else others.push(settlement);
  }
  const usualCount = usual.length / USUAL_SIZE;
  if (others.length === 0) return { args: [keepMs, usualCount, ...usual], places: undefined };
  return {
    args: [keepMs, usualCount, ...usual, ...others.flatMap((one) => otherArguments(one, prefix))],
    places: placesOf(settlements, others, usualCount),
  };
}

const USUAL_SIZE = 3;

function placesOf(all: readonly Settlement[], others: readonly Settlement[], usualCount: number): number[] {
  const areOthers = new Set(others);
  let [usual, other] = [0, usualCount];
  return all.map((settlement) => (areOthers.has(settlement) ? other++ : usual++));
}

type UsualSettlement = Settlement & { readonly outcome: CompleteOutcome };

/** Nothing to write but the record: the script need not look at it, and the worker can pack it. */
function isUsual(settlement: Settlement): settlement is UsualSettlement {
  const { outcome, owner, keyScope } = settlement;
  const isPlain = outcome.kind === 'complete' && !outcome.key && outcome.followUps.length === 0;
  return isPlain && keyScope === undefined && owner.taskId !== '' && !owner.hasLinks;
}

function pushUsual(args: ScriptArgument[], { owner, outcome }: UsualSettlement): void {
  const record = encodeCompletedRecord({
    entryId: owner.entryId,
    token: owner.token,
    failedAttempts: owner.failedAttempts,
    deliveryCount: owner.deliveryCount,
    hash: owner.payloadHash,
    enqueuedAt: owner.enqueuedAt,
    startedAt: owner.claimedAt,
    name: owner.name,
    tail: resultTail(outcome.result),
  });
  args.push(owner.entryId, owner.taskId, record);
}

function otherArguments(settlement: Settlement, prefix: string): ScriptArgument[] {
  const { owner, keyScope, retention } = settlement;
  const outcome = outcomeArguments(settlement, prefix);
  const followUps = outcome.followUps ?? [];
  return [
    owner.entryId,
    owner.taskId,
    owner.token,
    outcome.kind,
    owner.name,
    owner.claimedAt,
    owner.deliveryCount,
    outcome.scope ?? keyScope ?? '',
    outcome.text ?? '',
    outcome.detail ?? '',
    outcome.number ?? 0,
    outcome.commitTtlMs ?? 0,
    outcome.reason ?? '',
    outcome.keep ? 1 : 0,
    retention.deadLetterMaxCount,
    outcome.failedAttempts ?? 0,
    outcome.failure ?? '',
    owner.payloadHash ?? '-',
    retention.deadRecordMs,
    followUps.length,
    ...followUps.flat(),
  ];
}

function outcomeArguments({ owner, outcome, retention }: Settlement, prefix: string): OutcomeArguments {
  switch (outcome.kind) {
    case 'complete':
      return {
        kind: 'complete',
        scope: outcome.key?.scope,
        text: outcome.key && outcome.result.kind === 'stored' ? outcome.result.json : '',
        detail: resultTail(outcome.result),
        number: retention.recordMs,
        commitTtlMs: outcome.key?.ttlMs ?? 0,
        reason: outcome.key?.hash ?? '',
        followUps: outcome.followUps.map(({ queue, item }) => [
          queueKeys(prefix, queue).stream,
          ...itemArguments(item),
        ]),
      };
    case 'retry':
      return {
        kind: 'retry',
        text: JSON.stringify(outcome.meta),
        detail: `e${JSON.stringify(outcome.error)}`,
        number: outcome.delayMs,
      };
    case 'defer':
      return { kind: 'defer', text: JSON.stringify(outcome.meta), number: outcome.delayMs };
    case 'dead-letter':
      return deadArguments(owner, outcome, retention);
    case 'expired':
      return expiredArguments(outcome, retention);
    case 'cancel':
      return { kind: 'cancel', detail: `c${JSON.stringify(outcome.request)}`, number: retention.recordMs };
    case 'release':
      return { kind: 'release', number: storedDeliveryCount(owner) + (outcome.burnsHandOut ? 1 : 0) };
    default:
      return assertNever(outcome);
  }
}

function expiredArguments({ error, failedAttempts }: ExpireOutcome, retention: Retention): OutcomeArguments {
  return { kind: 'expired', detail: `e${JSON.stringify(error)}`, number: retention.recordMs, failedAttempts };
}

function deadArguments({ name }: Ownership, { info, keep }: DeadLetterOutcome, retention: Retention): OutcomeArguments {
  return {
    kind: 'dead',
    text: JSON.stringify(info),
    // A stack is kept once, and with the letter where there is one.
    detail: info.error ? `e${JSON.stringify(keep ? withoutStack(info.error) : info.error)}` : '',
    number: retention.deadRecordMs,
    reason: info.reason,
    keep,
    failedAttempts: info.failedAttempts,
    failure: failureArgument(name, info),
  };
}

function resultTail(result: StoredResult): string {
  return result.kind === 'stored' ? `r${result.json}` : `o${result.reason}`;
}

import type { RedrivePlan } from '../contracts/dead-letter-store.interface.js';
import type { PayloadEncoder } from '../contracts/payload-encoder.interface.js';
import { mergePatch } from '../policy/merge-patch.js';
import type { DeadLetter } from '../task/dead-letter.js';
import { DeadLetterUnreadableError, RedriveRefusedError } from '../task/dead-letter-errors.js';
import { canonicalJson } from '../task/canonical-json.js';
import { hashPayload } from '../task/payload-hash.js';
import { PayloadInvalidError, PayloadNotSerializableError, PayloadTooLargeError } from '../task/producer-errors.js';
import type { TaskContract } from '../task/task-contract.js';
import { FRESH_META, MAX_REDRIVE_RECORDS, type RedriveRecord, type TaskMeta } from '../task/task-meta.js';
import type { LetterProblem } from './letter-action.js';

/**
 * How payloads are mended, and which letters may go back.
 *
 * @publicApi
 */
export interface RedriveRules {
  /**
   * Mends the payload: a function that answers the new one, or a JSON merge patch (RFC 7396). The original is kept with the
   * task, up to 16 KiB. Default: the payload goes back as it was, byte for byte.
   */
  readonly patch?: PayloadPatch;
  /** What a mended payload is checked against. Default: what this process knows of the task. */
  readonly contract?: TaskContract;
  /** A task that came back so often is left where it is. Default 5. */
  readonly maxRedrives?: number;
  /**
   * Send tasks again that came back too often, or that, or whose idempotency key, are done already: its done mark is
   * removed, and the effect happens a second time. Default false.
   */
  readonly force?: boolean;
}

/** @publicApi */
export type PayloadPatch = ((payload: unknown, letter: DeadLetter) => unknown) | { readonly [member: string]: unknown };

export const DEFAULT_MAX_REDRIVES = 5;

const MAX_ORIGINAL_LENGTH = 16_384;

export interface PlanContext {
  readonly rules: RedriveRules;
  readonly encoder: PayloadEncoder;
  readonly actor: string;
  readonly now: () => number;
}

/**
 * Decides how a letter goes back.
 *
 * @throws RedriveRefusedError, DeadLetterUnreadableError, PayloadInvalidError, PayloadTooLargeError,
 *   PayloadNotSerializableError, and whatever the patch function throws.
 */
export async function planRedrive(letter: DeadLetter, context: PlanContext): Promise<RedrivePlan> {
  const { rules } = context;
  const { entryId = '', queue } = letter;
  if (letter.taskId === '' || letter.name === '') throw new DeadLetterUnreadableError(queue, entryId);
  const most = rules.maxRedrives ?? DEFAULT_MAX_REDRIVES;
  if (!rules.force && letter.redriveCount >= most) throw new RedriveRefusedError(queue, entryId, 'max-redrives');
  const mended = rules.patch === undefined ? undefined : await mend(letter, rules.patch, context);
  const json = mended === undefined || mended === letter.body ? mended : canonicalJson(mended);
  const isEdited = json !== undefined && json !== letter.body;
  return {
    entryId,
    meta: metaAfter(letter, context, isEdited),
    body: isEdited ? { json, hash: hashPayload(json) } : undefined,
  };
}

/** What an error of {@link planRedrive} means for one letter of many. */
export function problemOf(
  { entryId = '', taskId }: Pick<DeadLetter, 'entryId' | 'taskId'>,
  error: unknown,
): LetterProblem {
  const detail = error instanceof Error ? error.message : String(error);
  return { entryId, taskId, reason: reasonOf(error), detail };
}

function reasonOf(error: unknown): LetterProblem['reason'] {
  if (error instanceof RedriveRefusedError) return error.reason;
  if (error instanceof DeadLetterUnreadableError) return 'unreadable';
  const isPayload = [PayloadInvalidError, PayloadNotSerializableError, PayloadTooLargeError].some(
    (kind) => error instanceof kind,
  );
  return isPayload ? 'invalid-payload' : 'failed';
}

async function mend(letter: DeadLetter, patch: PayloadPatch, { rules, encoder }: PlanContext): Promise<string> {
  const payload = parse(letter);
  const mended = typeof patch === 'function' ? await patch(payload, letter) : mergePatch(payload, patch);
  return encoder.encode(letter.queue, letter.name, mended, rules.contract);
}

/** A payload that is no JSON is given to the patch as text: that may be what is to be mended. */
function parse({ body = '' }: DeadLetter): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return body;
  }
}

function metaAfter(letter: DeadLetter, { actor, now }: PlanContext, isEdited: boolean): TaskMeta {
  const { entryId = '', reason, error, body } = letter;
  const isKept = isEdited && body !== undefined && body.length <= MAX_ORIGINAL_LENGTH;
  const record: RedriveRecord = {
    at: now(),
    entryId,
    actor,
    reason,
    error: error && `${error.name}: ${error.message}`,
    isEdited,
    ...(isKept ? { originalBody: body } : {}),
  };
  return {
    ...FRESH_META,
    redriveCount: letter.redriveCount + 1,
    redrives: [...letter.redrives, record].slice(-MAX_REDRIVE_RECORDS),
  };
}

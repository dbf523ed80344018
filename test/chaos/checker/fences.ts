import type { HandoutLine, SettleLine } from '../harness/ledger-lines.js';
import { groupBy, isDone, type History } from './history.js';

/** What a fence tells about its age: when it was claimed by the clock of Redis, and how often the entry was handed out. */
function ageOf(fence: string): { readonly claimedAt: number; readonly handouts: number } {
  const [claimedAt = '0', handouts = '0'] = fence.split('.').slice(-2);
  return { claimedAt: Number(claimedAt), handouts: Number(handouts) };
}

/** Further apart than any run is long: the clock of Redis was set meanwhile. */
const CLOCK_JUMP_MS = 1_800_000;

/**
 * Where the clock of Redis was set between the two, the clock of the machine tells which was later. The count of deliveries
 * does not: that of a suspect that was released without having begun goes back. It decides between two of one millisecond.
 */
function isNewer(one: HandoutLine, than: HandoutLine): boolean {
  const a = ageOf(one.fence);
  const b = ageOf(than.fence);
  const apartMs = a.claimedAt - b.claimedAt;
  if (apartMs === 0) return a.handouts > b.handouts;
  return Math.abs(apartMs) > CLOCK_JUMP_MS ? one.t > than.t : apartMs > 0;
}

/** A settlement ends the entry, unless it hands the task back. */
export function ends({ outcome, reply }: SettleLine): boolean {
  return outcome !== 'release' && isDone(reply);
}

/** Which worker a fence was given to. */
function workerOf(fence: string): string {
  return fence.slice(0, fence.indexOf('.'));
}

/**
 * Settlements of an owner who was not the newest any more. A newer fence of the same worker is no other owner: its own
 * sweep has found what it was at work on. What is settled is not handed out again, so whoever was handed
 * the same entry later got it before that settlement.
 */
export function staleSettlements(
  history: History,
  isForgotten: (line: SettleLine) => boolean = () => false,
): SettleLine[] {
  const handouts = groupBy(history.handouts, ({ entryId }) => entryId);
  return history.settles.filter((line) => {
    if (!ends(line) || isForgotten(line)) return false;
    const ofEntry = handouts.get(line.entryId) ?? [];
    // A worker that was killed may have settled a task before its delivery was in the ledger.
    const own: HandoutLine = ofEntry.find(({ fence }) => fence === line.fence) ?? {
      ...{ ...line, deliveries: 0 },
      kind: 'handout',
    };
    return ofEntry.some((other) => isNewer(other, own) && workerOf(other.fence) !== workerOf(line.fence));
  });
}

/** What a run makes of fences, beside what they are for. */
export interface FenceFacts {
  /** The faults make owners that have lost their task without knowing; where none was seen, the run has shown nothing. */
  readonly makesZombies?: boolean | undefined;
  /** Redis may have forgotten a settlement that it had answered. */
  readonly isForgotten?: (line: SettleLine) => boolean;
}

/** I5: an entry is settled once, and every hand-out of it has a newer fence than the one before. */
export function fenceViolations(history: History, facts: FenceFacts = {}): string[] {
  const { makesZombies = false, isForgotten = () => false } = facts;
  const found: string[] = [];
  const refused = history.settles.filter(({ reply }) => reply === 'fenced' || reply === 'gone').length;
  if (makesZombies && refused + history.count('lease-lost') === 0) found.push('the faults made no zombie');
  const stale = staleSettlements(history, isForgotten);
  if (stale.length > 0) found.push(`I5: ${stale.length} stale settlements, the first of ${stale[0]?.id}`);
  const settled = groupBy(
    history.settles.filter((line) => ends(line) && line.reply === 'done' && !isForgotten(line)),
    ({ entryId }) => entryId,
  );
  const twice = [...settled.values()].filter((lines) => lines.length > 1);
  if (twice.length > 0) found.push(`I5: ${twice.length} entries were settled more than once`);
  const reused = reusedFences(history.handouts);
  if (reused > 0) found.push(`I5: ${reused} fences were given out to more than one worker`);
  return found;
}

function reusedFences(handouts: readonly HandoutLine[]): number {
  const owners = groupBy(handouts, ({ entryId, fence }) => `${entryId} ${fence}`);
  return [...owners.values()].filter((lines) => new Set(lines.map(({ pid }) => pid)).size > 1).length;
}

/** I6: effects after the entry was settled under another fence. They happen (a zombie is not stopped), so they are counted. */
export function lateEffects(history: History): number {
  const settled = new Map(history.settles.filter(ends).map((line) => [line.entryId, line]));
  return history.effects.filter(({ entryId, fence, t }) => {
    const by = entryId === undefined ? undefined : settled.get(entryId);
    return by !== undefined && by.fence !== fence && t > by.t;
  }).length;
}

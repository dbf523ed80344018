import { describe, expect, it } from 'vitest';
import type { HandoutLine, SettleLine } from '../harness/ledger-lines.js';
import { staleSettlements } from './fences.js';
import { History } from './history.js';

const HOUR_MS = 3_600_000;

/** A delivery to a worker: when by the clock of the machine, when by that of Redis, and how many it is. */
function handout(worker: string, t: number, claimedAt: number, deliveries: number): HandoutLine {
  const fence = `${worker}.1.2000.${claimedAt}.${deliveries}`;
  return { kind: 'handout', t, pid: 1, id: 'a', entryId: 'q 1-0', fence, deliveries };
}

function settled({ t, pid, id, entryId, fence }: HandoutLine): SettleLine {
  return { kind: 'settle', t: t + 10, pid, id, entryId, fence, outcome: 'complete', reply: 'done' };
}

/** The workers whose settlement of the task was stale. */
function stale(handouts: readonly HandoutLine[], settles: readonly SettleLine[]): string[] {
  return staleSettlements(new History([...handouts, ...settles])).map(({ fence }) => fence.split('.')[0] ?? '');
}

describe('a stale settlement', () => {
  const first = handout('one', 1_000, 50_000, 1);
  const second = handout('two', 4_000, 53_000, 2);

  it('is one of a worker that is not the newest owner', () => {
    expect(stale([first, second], [settled(first)])).toEqual(['one']);
    expect(stale([first, second], [settled(second)])).toEqual([]);
  });

  it('is none where a suspect was released, so that the count of deliveries went back', () => {
    const third = handout('three', 8_000, 57_000, 2);
    expect(stale([first, { ...second, fence: 'two.1.2000.53000.3' }, third], [settled(third)])).toEqual([]);
  });

  it('is told by the clock of the machine where that of Redis was set meanwhile, ahead or back', () => {
    const ahead = handout('three', 8_000, 57_000 + HOUR_MS, 1);
    expect(stale([first, second, ahead], [settled(ahead)])).toEqual([]);
    expect(stale([first, second, ahead], [settled(second)])).toEqual(['two']);
    const back = handout('three', 8_000, 57_000 - HOUR_MS, 3);
    expect(stale([first, second, back], [settled(back)])).toEqual([]);
    expect(stale([first, second, back], [settled(second)])).toEqual(['two']);
  });
});

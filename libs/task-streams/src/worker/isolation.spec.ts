import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Delivery } from '../contracts/work-store.interface.js';
import type { DeliveryCount } from '../task/delivery-count.js';
import { Isolation } from './isolation.js';
import { Run } from './run.js';
import { RunRegistry } from './run-registry.js';

const LIMIT = 3;
const CLEAR: DeliveryCount = { deliveryCount: 1 };
const SUSPECT: DeliveryCount = { deliveryCount: LIMIT };
const LAST_CHANCE: DeliveryCount = { deliveryCount: LIMIT + 1, trial: 'shared' };
/** The longest that a suspect keeps anything else from starting. */
const BOUND_MS = 1_500;

/** Two queues of one process; `concurrency` slots each. */
function twoQueues(concurrency = 20) {
  const isolation = new Isolation();
  const open = () => {
    const started: string[] = [];
    const shared: string[] = [];
    const registry = new RunRegistry(concurrency, LIMIT, isolation);
    const start = () => {
      for (let run = registry.takeStartable(); run; run = registry.takeStartable()) started.push(run.delivery.entryId);
    };
    registry.onFree = start;
    registry.onShare = async (run) => void shared.push(run.delivery.entryId);
    const add = (count: DeliveryCount, ...entryIds: readonly string[]): Run[] => {
      const runs = entryIds.map((entryId) => new Run({ entryId, ...count } as Delivery, 0));
      for (const run of runs) registry.add(run);
      start();
      return runs;
    };
    const end = (...runs: readonly Run[]) => {
      for (const run of runs) {
        registry.freeSlot();
        registry.remove(run);
      }
    };
    return { registry, started, shared, add, end };
  };
  return [open(), open()] as const;
}

describe('the isolation of suspects', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
  afterEach(() => void vi.useRealTimers());
  const later = (ms: number) => vi.advanceTimersByTimeAsync(ms);

  it('starts a suspect alone where nothing runs, and lets others start a second later', async () => {
    const [jobs, mail] = twoQueues();
    const [suspect] = jobs.add(SUSPECT, 'suspect');
    expect(jobs.registry.startOf(suspect as Run)).toBe('alone');
    mail.add(CLEAR, 'a');
    expect(mail.started).toEqual([]);
    expect(mail.registry.freeForFetch).toBe(0);

    await later(1_000);
    expect(jobs.shared).toEqual(['suspect']);
    expect(mail.started).toEqual(['a']);
    expect(mail.registry.freeForFetch).toBe(19);
  });

  it('waits half a second for the process to be quiet, and starts beside a task that is not done by then', async () => {
    const [jobs, mail] = twoQueues();
    const [long] = mail.add(CLEAR, 'export');
    const [suspect] = jobs.add(SUSPECT, 'suspect');
    mail.add(CLEAR, 'a');
    await later(499);
    expect([jobs.started, mail.started]).toEqual([[], ['export']]);

    await later(1);
    expect([jobs.started, mail.started]).toEqual([['suspect'], ['export', 'a']]);
    expect(jobs.registry.startOf(suspect as Run)).toBe('beside');
    expect(jobs.registry.trialAtStart(suspect as Run)).toBe('shared');
    mail.end(long as Run);
  });

  it('starts it as soon as the process is quiet, whichever queue what ran was of', async () => {
    const [jobs, mail] = twoQueues();
    const [short] = mail.add(CLEAR, 'short');
    const [suspect] = jobs.add(LAST_CHANCE, 'suspect');
    await later(100);
    expect(jobs.started).toEqual([]);

    mail.end(short as Run);
    expect(jobs.started).toEqual(['suspect']);
    expect(jobs.registry.trialAtStart(suspect as Run)).toBe('blamed');
  });

  it('starts many suspects together, beside everything: no crash is held against them', async () => {
    const [jobs, mail] = twoQueues();
    mail.add(CLEAR, 'export');
    const runs = ['s1', 's2', 's3'].map((entryId) => new Run({ entryId, ...SUSPECT } as Delivery, 0));
    for (const run of runs) jobs.registry.add(run);
    mail.add(CLEAR, 'a');
    jobs.registry.onFree();

    expect([jobs.started, mail.started]).toEqual([
      ['s1', 's2', 's3'],
      ['export', 'a'],
    ]);
    for (const run of runs) expect(jobs.registry.trialAtStart(run)).toBe('shared');
  });

  it('runs those at their last chance one after the other, beside whatever else there is', async () => {
    const [jobs, mail] = twoQueues();
    const [first, second] = jobs.add(LAST_CHANCE, 's1', 's2');
    await later(1_000);
    mail.add(CLEAR, 'a');
    expect([jobs.started, mail.started]).toEqual([['s1'], ['a']]);
    expect(jobs.shared).toEqual([]);
    await later(20_000);
    expect(jobs.started).toEqual(['s1']);

    mail.end(...mail.registry.all());
    jobs.end(first as Run);
    expect(jobs.started).toEqual(['s1', 's2']);
    expect(jobs.registry.startOf(second as Run)).toBe('alone');
  });

  it('gives a last chance that never finds the process quiet a start beside others, after half a minute', async () => {
    const [jobs, mail] = twoQueues();
    mail.add(CLEAR, 'export');
    jobs.add(LAST_CHANCE, 'suspect');
    await later(29_000);
    expect(jobs.started).toEqual([]);
    await later(2_000);
    expect(jobs.started).toEqual(['suspect']);
  });

  it('starts last chances that waited half a minute one a second, so that a killer is told from the rest', async () => {
    const [jobs, mail] = twoQueues();
    mail.add(CLEAR, 'export');
    jobs.add(LAST_CHANCE, 's1', 's2', 's3');
    await later(30_000);
    await vi.waitFor(() => expect(jobs.started).toEqual(['s1']));

    await later(900);
    expect(jobs.started).toEqual(['s1']);
    await later(200);
    expect(jobs.started).toEqual(['s1', 's2']);
    await later(1_000);
    expect(jobs.started).toEqual(['s1', 's2', 's3']);
  });

  it('keeps nothing else waiting for longer than its bound, however many suspects there are', async () => {
    const [jobs, mail] = twoQueues(1);
    jobs.add(LAST_CHANCE, 's1', 's2', 's3', 's4');
    let longestMs = 0;
    for (let ms = 0; ms < 40_000; ms += 2_100) {
      const [run] = mail.add(CLEAR, `mail-${ms}`);
      let waitedMs = 0;
      for (; !mail.started.includes(`mail-${ms}`); waitedMs += 50) await later(50);
      longestMs = Math.max(longestMs, waitedMs);
      mail.end(run as Run);
      jobs.end(...jobs.registry.all().filter((each) => jobs.started.includes(each.delivery.entryId)));
      await later(2_100 - waitedMs);
    }
    expect(jobs.started).toEqual(['s1', 's2', 's3', 's4']);
    expect(longestMs).toBeGreaterThan(0);
    expect(longestMs).toBeLessThanOrEqual(BOUND_MS);
  });

  it('keeps no slot from what is fetched while it waits, also where there is one', async () => {
    const [jobs, mail] = twoQueues(1);
    mail.add(CLEAR, 'export');
    jobs.add(LAST_CHANCE, 'suspect');
    jobs.registry.reservedForSweep = 1;
    expect(jobs.registry.freeForFetch).toBe(0);

    await later(600);
    expect(jobs.registry.heldCount).toBe(1);
    expect(jobs.registry.freeForFetch).toBe(1);
    jobs.add(CLEAR, 'a');
    expect(jobs.started).toEqual(['a']);
    expect(jobs.registry.freeForFetch).toBe(0);
  });

  it('goes on with the next where one is taken from this worker while it waits or runs', async () => {
    const [jobs, mail] = twoQueues();
    const [running, held] = jobs.add(LAST_CHANCE, 's1', 's2', 's3');
    jobs.registry.remove(held as Run);
    jobs.end(running as Run);
    await later(1_500);
    mail.add(CLEAR, 'a');
    await later(BOUND_MS);
    expect([jobs.started, mail.started]).toEqual([['s1', 's3'], ['a']]);
  });
});

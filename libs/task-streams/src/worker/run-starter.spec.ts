import { describe, expect, it } from 'vitest';
import { deliveryOf } from '../../../../test/support/nest/deliveries.js';
import type { RunningTask } from '../contracts/task-executor.interface.js';
import type { SettleReply, WorkStore } from '../contracts/work-store.interface.js';
import type { TaskOutcome } from '../task/task-outcome.js';
import type { WorkerEvent } from '../watch/worker-observer.interface.js';
import { AbandonedRuns } from './abandoned-runs.js';
import { Isolation } from './isolation.js';
import type { Run } from './run.js';
import { RunRegistry } from './run-registry.js';
import { RunSettler } from './run-settler.js';
import { RunStarter } from './run-starter.js';
import { SettlementQueue } from './settlement-queue.js';

const DONE: TaskOutcome = {
  ...{ kind: 'complete', result: { kind: 'omitted', reason: 'off' } },
  ...{ key: undefined, followUps: [], replayed: false },
};
const request = { at: 1, reason: undefined, by: undefined };
const tick = () => new Promise((resolve) => setImmediate(resolve));

/** A queue with two slots and no Redis: the spec answers for the handlers, the renewals and the settlements. */
function openQueue() {
  const events: WorkerEvent['kind'][] = [];
  const aborts: string[] = [];
  const ends: ((outcome: TaskOutcome) => void)[] = [];
  const renewals: (() => void)[] = [];
  const lease = { isFresh: true };
  const registry = new RunRegistry(2, 3, new Isolation());
  const settlements = new SettlementQueue({ failed: () => undefined, ended: () => undefined });
  const observer = { observe: ({ kind }: WorkerEvent) => void events.push(kind) };
  const retention = { recordMs: 1, deadRecordMs: 1, deadLetterMaxCount: 1 };
  const settler = new RunSettler({ registry, settlements, observer, retention });
  const abandoned = new AbandonedRuns(60_000, () => undefined);
  const execute = (): RunningTask => ({
    ...{ adopt: () => undefined, keyScope: undefined, timeoutMs: undefined },
    abort: (reason) => void aborts.push(reason.name),
    outcome: new Promise((resolve) => void ends.push(resolve)),
    timeOut: () => ({ kind: 'release' }),
    refuseFollowUps: () => Promise.reject(new Error('it has none')),
  });
  const starter = new RunStarter({
    ...{ registry, settler, observer, abandoned, executor: { execute } },
    work: { begin: async () => true } as unknown as WorkStore,
    leases: { isFresh: () => lease.isFresh, renew: () => new Promise((resolve) => renewals.push(resolve)) },
  });
  const deliver = (): Run => {
    const delivery = deliveryOf();
    starter.take([delivery], performance.now());
    return registry.get(delivery.entryId) as Run;
  };
  /** Answers what is to be settled, as Redis does; tells what it was. */
  const settle = async (reply: SettleReply = { kind: 'done' }): Promise<string[]> => {
    const batch = settlements.take(Infinity);
    settlements.answer(
      batch,
      batch.map(() => reply),
    );
    await tick();
    return batch.map(({ settlement }) => settlement.outcome.kind);
  };
  return { events, aborts, ends, renewals, lease, registry, settler, abandoned, starter, deliver, settle };
}

describe('the runs of a queue', () => {
  it('settle what the handler came to, and are gone', async () => {
    const { deliver, ends, events, registry, settle } = openQueue();
    const run = deliver();
    expect(run.state).toBe('running');
    ends[0]?.(DONE);
    await tick();
    expect([run.state, registry.runningCount]).toEqual(['settling', 0]);
    expect(await settle()).toEqual(['complete']);
    expect([run.state, registry.size, events]).toEqual(['gone', 0, ['started', 'settled']]);
  });

  it('settle once when the handler ends after it was released', async () => {
    const { abandoned, deliver, ends, settle, settler, starter } = openQueue();
    const run = deliver();
    starter.release(run);
    starter.release(run);
    expect(abandoned.count).toBe(1);
    ends[0]?.(DONE);
    await tick();
    expect(abandoned.count).toBe(0);
    expect(await settle()).toEqual(['release']);
    expect(await settle()).toEqual([]);
    expect(settler.releasedCount).toBe(1);
  });

  it('tell a handler once that its lease is in doubt, and settle what it completes', async () => {
    const { aborts, deliver, ends, settle, starter } = openQueue();
    const run = deliver();
    starter.doubt(run, 1, 'redis');
    starter.doubt(run, 2, 'redis');
    expect(aborts).toEqual(['LeaseUncertainError']);
    ends[0]?.(DONE);
    await tick();
    expect(await settle()).toEqual(['complete']);
  });

  it.each([
    ['a completion', DONE, 'complete'],
    ['a cancellation', { kind: 'cancel', request }, 'cancel'],
    ['a lost lease', { kind: 'lost' }, 'release'],
    ['a failure', { kind: 'expired', error: { name: 'E', message: '' }, failedAttempts: 1 }, 'release'],
  ] as const)('of a worker that stops settle %s', async (_what, outcome, settled) => {
    const { deliver, ends, settle, starter } = openQueue();
    starter.stop(deliver(), 10);
    ends[0]?.(outcome);
    await tick();
    expect(await settle()).toEqual([settled]);
  });

  it('are released at once when the worker stops before they start', async () => {
    const { deliver, ends, lease, registry, renewals, settle, starter } = openQueue();
    lease.isFresh = false;
    const run = deliver();
    expect([run.state, registry.runningCount]).toEqual(['starting', 1]);
    starter.stop(run, 10);
    expect([run.state, registry.runningCount]).toEqual(['settling', 0]);
    renewals[0]?.();
    await tick();
    expect([ends.length, registry.runningCount]).toEqual([0, 0]);
    expect(await settle()).toEqual(['release']);
  });

  it('are not started when somebody cancels them first', async () => {
    const { aborts, deliver, ends, lease, registry, renewals, settle, starter } = openQueue();
    lease.isFresh = false;
    starter.cancel(deliver(), request);
    renewals[0]?.();
    await tick();
    expect([ends.length, aborts.length, registry.runningCount]).toEqual([0, 0, 0]);
    expect(await settle()).toEqual(['cancel']);
  });

  it('are forgotten when the lease is lost, and leave their slot to the next', async () => {
    const { aborts, deliver, events, registry, settle, starter } = openQueue();
    const [first, second, third] = [deliver(), deliver(), deliver()];
    expect([first.state, second.state, third.state]).toEqual(['running', 'running', 'waiting']);
    starter.lose(first);
    starter.lose(first);
    expect([first.state, third.state, registry.size, registry.runningCount]).toEqual(['gone', 'running', 2, 2]);
    expect(aborts).toEqual(['LeaseLostError']);
    expect(events.filter((kind) => kind === 'lease-lost' || kind === 'abandoned')).toEqual(['lease-lost', 'abandoned']);
    expect(await settle()).toEqual([]);
  });

  it('are not lost while they are settled', async () => {
    const { deliver, ends, events, settle, starter } = openQueue();
    const run = deliver();
    ends[0]?.(DONE);
    await tick();
    starter.lose(run);
    expect(await settle()).toEqual(['complete']);
    expect(events).toEqual(['started', 'settled']);
  });

  it('come to one end each and give every slot back, in whatever order things happen', async () => {
    const seen = new Set<string>();
    for (let seed = 1; seed <= 80; seed += 1) {
      const queue = openQueue();
      const { abandoned, ends, events, lease, registry, renewals, settle, starter } = queue;
      const next = randomOf(seed);
      const outcomes: TaskOutcome[] = [DONE, { kind: 'lost' }, { kind: 'cancel', request }, { kind: 'release' }];
      const runs: Run[] = [];
      const pick = () => runs[next(runs.length)] as Run;
      const acts = [
        () => void runs.push(queue.deliver()),
        () => void (lease.isFresh = next(2) === 0),
        () => renewals.shift()?.(),
        () => ends[next(ends.length)]?.(outcomes[next(4)] as TaskOutcome),
        () => starter.doubt(pick(), 1, 'redis'),
        () => starter.cancel(pick(), request),
        () => starter.stop(pick(), 1),
        () => starter.lose(pick()),
        () => starter.release(pick()),
        settle,
        tick,
      ];
      runs.push(queue.deliver());
      for (let step = 0; step < 25; step += 1) {
        await acts[next(acts.length)]?.();
        for (const run of runs) seen.add(run.state);
        expect(registry.runningCount).toBe(runs.filter((run) => run.hasSlot).length);
      }
      while (registry.size > 0) {
        starter.startBuffered();
        for (const run of registry.all()) starter.release(run);
        await settle();
      }
      for (const end of ends) end(DONE);
      await tick();
      expect({ slots: registry.runningCount, abandoned: abandoned.count }).toEqual({ slots: 0, abandoned: 0 });
      expect(runs.every(({ state }) => state === 'gone')).toBe(true);
      const finals = events.filter((kind) => kind === 'settled' || kind === 'lease-lost');
      expect(finals).toHaveLength(runs.length);
    }
    expect([...seen].sort()).toEqual(['doubted', 'gone', 'running', 'settling', 'starting', 'stopping', 'waiting']);
  });
});

/** The same numbers for the same seed. */
function randomOf(seed: number): (below: number) => number {
  let state = seed * 2_654_435_761;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return below === 0 ? 0 : Math.floor((state / 2 ** 32) * below);
  };
}

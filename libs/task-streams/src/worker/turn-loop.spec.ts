import { describe, expect, it } from 'vitest';
import type { ClaimReply, Delivery, Settlement, TurnReply, WorkStore } from '../contracts/work-store.interface.js';
import { Isolation } from './isolation.js';
import { RunRegistry } from './run-registry.js';
import { SettlementQueue } from './settlement-queue.js';
import { TurnLoop } from './turn-loop.js';

const NO_TROUBLE = { failed: () => undefined, ended: () => undefined };
const CONCURRENCY = 4;
const LANE = CONCURRENCY / 2;

interface Call {
  readonly settled: readonly string[];
  readonly max: number;
  answer(entryIds: readonly string[]): void;
}

/** A broker whose calls are answered by the test, in the order and together as the test likes. */
class HeldBroker implements Pick<WorkStore, 'turn' | 'ensure' | 'recover' | 'wait' | 'interrupt'> {
  readonly calls: Call[] = [];
  private readonly waiters: (() => void)[] = [];

  turn(_queue: string, settlements: readonly Settlement[], max: number): Promise<TurnReply> {
    return new Promise((resolve) => {
      this.calls.push({
        settled: settlements.map(({ owner }) => owner.entryId),
        max,
        answer: (entryIds) =>
          resolve({
            replies: settlements.map(() => ({ kind: 'done' })),
            ...claimed(entryIds),
            droppedCount: 0,
            fetchError: undefined,
          }),
      });
      this.waiters.splice(0).forEach((wake) => wake());
    });
  }

  async call(place: number): Promise<Call> {
    while (this.calls.length <= place) await new Promise<void>((resolve) => this.waiters.push(resolve));
    return this.calls[place] as Call;
  }

  ensure = () => Promise.resolve({ isPaused: false });
  recover = () => Promise.resolve(claimed([]));
  wait = () => new Promise<ClaimReply>(() => undefined);
  interrupt = () => Promise.resolve();
}

function claimed(entryIds: readonly string[]): ClaimReply {
  return { deliveries: entryIds.map((entryId) => ({ entryId }) as Delivery), blocked: [], sentAt: 0 };
}

function startLoop(concurrency = CONCURRENCY) {
  const broker = new HeldBroker();
  const settlements = new SettlementQueue(NO_TROUBLE);
  const log: string[] = [];
  const loop = new TurnLoop('orders', {
    work: broker as unknown as WorkStore,
    registry: new RunRegistry(concurrency, 3, new Isolation()),
    settlements,
    // Every task ends at once, as one that has nothing to wait for.
    take: ({ deliveries }) => {
      for (const { entryId } of deliveries) {
        log.push(entryId);
        void settlements.settle({ owner: { entryId } } as Settlement, () => undefined);
      }
    },
    startBuffered: () => undefined,
    onDropped: () => undefined,
    trouble: NO_TROUBLE,
  });
  loop.start();
  return { broker, log, loop };
}

describe('the lanes of a turn loop', () => {
  it('sends what the first of two replies brought to an end before it looks at the second', async () => {
    const { broker, log } = startLoop();
    const [first, second] = [await broker.call(0), await broker.call(1)];
    expect([first.max, second.max]).toEqual([LANE, LANE]);

    first.answer(['a1', 'a2']);
    second.answer(['b1', 'b2']);

    const third = await broker.call(2);
    expect({ settled: third.settled, max: third.max }).toEqual({ settled: ['a1', 'a2'], max: LANE });
    expect(log).toEqual(['a1', 'a2']);
    const fourth = await broker.call(3);
    expect({ settled: fourth.settled, max: fourth.max }).toEqual({ settled: ['b1', 'b2'], max: LANE });
  });
});

describe('a turn loop that waits for tasks', () => {
  it('tells how long it has heard nothing, so that a wait that never ends is seen', async () => {
    const { broker, loop } = startLoop(1);
    (await broker.call(0)).answer([]);

    await expect
      .poll(() => loop.ages())
      .toEqual({
        sinceLastTurnMs: expect.toSatisfy((age: number) => age > 20),
        sinceLastFetchMs: expect.toSatisfy((age: number) => age > 20),
      });
  });
});

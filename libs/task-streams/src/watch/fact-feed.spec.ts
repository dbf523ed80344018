import { describe, expect, it } from 'vitest';
import { completion } from '../../../../test/support/broker/settlements.js';
import { deliveryOf } from '../../../../test/support/nest/deliveries.js';
import { FactFeed } from './fact-feed.js';
import { factOf } from './fact-of.js';
import type { Fact, WatchedEvent } from './fact.interface.js';
import { LoggingObserver } from './logging-observer.js';

/** A completed task that must not be looked at. */
function untouchable(): WatchedEvent {
  const delivery = { ...deliveryOf(), queue: 'q' };
  for (const key of ['taskId', 'failedAttempts', 'enqueuedAt'] as const)
    Object.defineProperty(delivery, key, {
      get: () => {
        throw new Error('a fact was made');
      },
    });
  return { kind: 'settled', delivery, outcome: completion(), reply: { kind: 'done' }, durationMs: 1 };
}

describe('FactFeed', () => {
  it('makes no fact of a completed task where nobody hears of it', () => {
    const feed = new FactFeed<WatchedEvent>();
    feed.observe(untouchable());
    const log = new LoggingObserver(false, { consumer: 'w', traceOf: undefined });
    const told: Fact[] = [];
    feed.listen({ hears: (name) => log.hears(name), tell: (fact) => void told.push(fact) });
    feed.observe(untouchable());
    expect(told).toEqual([]);
    expect(() => factOf(untouchable())).toThrow('a fact was made');
  });

  it('makes one fact for all who hear it, and nobody disturbs another', () => {
    const feed = new FactFeed<WatchedEvent>();
    const told: Fact[] = [];
    const rejects = (): Promise<never> => Promise.reject(new Error('listener down'));
    const throws = (): never => {
      throw new Error('listener down');
    };
    feed.listen({ hears: () => true, wants: throws, tell: () => undefined });
    feed.listen({ hears: () => true, tell: throws });
    feed.listen({ hears: () => true, tell: rejects as unknown as () => void });
    feed.listen({ hears: () => true, wants: () => false, tell: (fact) => void told.push(fact) });
    feed.listen({ hears: (name) => name === 'completed', tell: (fact) => void told.push(fact) });
    feed.listen({ hears: () => true, wants: (_, event) => 'delivery' in event, tell: (fact) => void told.push(fact) });

    const delivery = deliveryOf({ queue: 'q', name: 'n', taskId: 'a', enqueuedAt: 100, claimedAt: 150 });
    feed.observe({ kind: 'settled', delivery, outcome: completion(), reply: { kind: 'already' }, durationMs: 5 });

    expect(told).toHaveLength(2);
    expect(told[0]).toBe(told[1]);
    expect(told[0]).toMatchObject({
      name: 'completed',
      level: 'debug',
      fields: {
        queue: 'q',
        task: 'n',
        taskId: 'a',
        attempt: 1,
        durationMs: 5,
        hasRun: true,
        ageMs: 55,
        isReplay: false,
      },
    });
  });
});

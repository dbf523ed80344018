import { describe, expect, it } from 'vitest';
import { messageOptions } from './check-enqueue-options.js';

const AT = 1_800_000_000_000;

describe('how long a task is worth running', () => {
  it.each([
    [{ ttlMs: 5 }, { ttlMs: 5 }],
    [{ deadlineMs: 7 }, { deadlineMs: 7 }],
    [{ deadline: new Date(AT) }, { deadline: AT }],
    [{ deadline: AT }, { deadline: AT }],
    // The worker counts from the end of the delay, which it cannot know otherwise.
    [
      { ttlMs: 5, delayMs: 9 },
      { ttlMs: 5, delayMs: 9 },
    ],
    [
      { ttlMs: 5, runAt: AT },
      { ttlMs: 5, runAt: AT },
    ],
  ])('travels with the task: %j', (options, expiry) => {
    expect(messageOptions(options)).toEqual({ expiry });
  });

  it('costs a task that does not say it nothing', () => {
    expect(messageOptions({ delayMs: 9 })).toBeUndefined();
    expect(messageOptions({ attempts: 2 })).toEqual({ attempts: 2 });
  });

  it.each([
    [{ ttlMs: 0 }, 'enqueue.ttlMs'],
    [{ ttlMs: 1.5 }, 'enqueue.ttlMs'],
    [{ ttlMs: Infinity }, 'enqueue.ttlMs'],
    [{ deadlineMs: -1 }, 'enqueue.deadlineMs'],
    [{ deadline: new Date('x') }, 'enqueue.deadline'],
    [{ deadline: AT / 1000 }, 'not seconds'],
    [{ deadline: AT, deadlineMs: 5 }, 'give one of them'],
  ])('is refused where it cannot be: %j', (options, message) => {
    expect(() => messageOptions(options)).toThrow(message);
  });
});

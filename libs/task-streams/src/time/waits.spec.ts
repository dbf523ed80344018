import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { withDeadline } from './with-deadline.js';
import { within } from './within.js';

const never = new Promise<never>(() => undefined);

beforeEach(() => vi.useFakeTimers());
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

describe('within', () => {
  it('says whether it came in time, and leaves no timer', async () => {
    expect(await within(Promise.resolve(), 10)).toBe(true);
    const late = within(never, 10);
    await vi.advanceTimersByTimeAsync(10);
    expect(await late).toBe(false);
    await expect(within(Promise.reject(new Error('broken')), 10)).rejects.toThrow('broken');
  });

  it('ignores an error that comes later', async () => {
    let fail: (error: Error) => void = () => undefined;
    const late = within(new Promise((_resolve, reject) => (fail = reject)), 10);
    await vi.advanceTimersByTimeAsync(10);
    expect(await late).toBe(false);
    fail(new Error('too late to matter'));
  });
});

describe('withDeadline', () => {
  it('answers what comes in time, and the error it is given for the rest', async () => {
    const error = new Error('late');
    expect(await withDeadline(Promise.resolve(5), 10, () => error)).toBe(5);
    const late = expect(withDeadline(never, 10, () => error)).rejects.toBe(error);
    await vi.advanceTimersByTimeAsync(10);
    await late;
  });
});

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { TaskLogLine } from '../contracts/task-store.interface.js';
import { deliveryOf } from '../../../../test/support/nest/deliveries.js';
import { LogWriter } from './log-writer.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function setUp(fails = false) {
  const calls: string[][] = [];
  const appendLog = async (_: unknown, lines: readonly TaskLogLine[]) => {
    calls.push(lines.map(({ attempt, text }) => `${attempt} ${text}`));
    if (fails) throw new Error('away');
  };
  return { calls, writer: new LogWriter({ appendLog }, () => deliveryOf()) };
}

describe('the log writer of a task', () => {
  it('writes the lines of 200 ms together', async () => {
    const { calls, writer } = setUp();
    writer.add('a', 1);
    writer.add('b', 1);
    expect(calls).toEqual([]);
    await vi.advanceTimersByTimeAsync(200);
    writer.add('c', 2);
    await vi.advanceTimersByTimeAsync(200);

    expect(calls).toEqual([['1 a', '1 b'], ['2 c']]);
  });

  it('writes what waits at the end, and nothing twice', async () => {
    const { calls, writer } = setUp();
    writer.add('a', 1);
    writer.flush();
    writer.flush();
    await vi.advanceTimersByTimeAsync(1_000);

    expect(calls).toEqual([['1 a']]);
  });

  it('keeps the last 100 lines, cuts long ones, and takes what is no text', async () => {
    const { calls, writer } = setUp();
    for (let i = 0; i < 150; i += 1) writer.add(i, 1);
    writer.add('x'.repeat(5_000), 1);
    writer.flush();

    expect(calls[0]).toHaveLength(100);
    expect(calls[0]?.[0]).toBe('1 51');
    expect(calls[0]?.at(-1)).toBe(`1 ${'x'.repeat(1_000)}`);
  });

  it('never fails the task', async () => {
    const { writer } = setUp(true);
    writer.add('a', 1);
    writer.flush();

    await vi.advanceTimersByTimeAsync(1_000);
  });
});

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decodeMeta,
  FRESH_META,
  MAX_HISTORY,
  withFailedAttempt,
  type AttemptRecord,
  type TaskMeta,
} from './task-meta.js';

function attempt(number: number): AttemptRecord {
  return {
    attempt: number,
    at: 1_000 + number,
    durationMs: 5,
    worker: 'w',
    error: { name: 'Error', message: 'boom', stack: 'at x' },
  };
}

describe('the meta of a task', () => {
  it('comes back as it was written', () => {
    const meta: TaskMeta = {
      failedAttempts: 2,
      firstFailedAt: 5,
      deferredSince: 6,
      history: [attempt(1), attempt(2)],
      redriveCount: 1,
    };

    expect(decodeMeta(JSON.stringify(meta))).toEqual(meta);
    expect(decodeMeta(JSON.stringify({ ...FRESH_META, redriveCount: 1 }))).toEqual({ ...FRESH_META, redriveCount: 1 });
  });

  it('is empty for a task that was never run', () => {
    expect(decodeMeta('')).toEqual(FRESH_META);
    expect(decodeMeta(undefined)).toEqual(FRESH_META);
  });

  it('counts a failed attempt and ends a time of deferrals', () => {
    const meta = withFailedAttempt({ ...FRESH_META, deferredSince: 7 }, attempt(1));

    expect(meta).toEqual({
      failedAttempts: 1,
      firstFailedAt: 1_001,
      deferredSince: undefined,
      history: [{ ...attempt(1), error: { name: 'Error', message: expect.any(String) as string } }],
      redriveCount: 0,
    });
  });

  it('keeps the last ten attempts, without their stacks', () => {
    let meta = FRESH_META;
    for (let number = 1; number <= 15; number += 1) meta = withFailedAttempt(meta, attempt(number));

    expect(meta.failedAttempts).toBe(15);
    expect(meta.firstFailedAt).toBe(1_001);
    expect(meta.history.map((record) => record.attempt)).toEqual([6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
    expect(meta.history.map((record) => record.error.stack).filter(Boolean)).toEqual([]);
  });

  it('does not change the meta before it', () => {
    withFailedAttempt(FRESH_META, attempt(1));

    expect(FRESH_META.history).toEqual([]);
  });
});

describe('a forged meta', () => {
  it.each([
    ['1000000000', 1_000_000],
    ['-5', 0],
    ['"abc"', 0],
    ['1.5', 0],
    ['null', 0],
    ['1e999', 0],
    ['9007199254740993', 0],
    ['[3]', 0],
  ])('has its number of failed attempts %s brought back into bounds', (forged, failedAttempts) => {
    expect(decodeMeta(`{"failedAttempts":${forged},"redriveCount":${forged}}`)).toMatchObject({
      failedAttempts,
      redriveCount: failedAttempts,
    });
  });

  it.each(['-1', '0', '"now"', '1e999', 'null', '{}'])('has no time %s', (forged) => {
    expect(decodeMeta(`{"firstFailedAt":${forged},"deferredSince":${forged}}`)).toMatchObject({
      firstFailedAt: undefined,
      deferredSince: undefined,
    });
  });

  it('keeps of its history what is an attempt, and no more than ten', () => {
    const history = [
      null,
      1,
      'x',
      {},
      { ...attempt(1), error: null },
      { ...attempt(1), at: 'x' },
      ...Array.from({ length: 30 }, (_, at) => attempt(at)),
    ];
    const meta = decodeMeta(JSON.stringify({ history }));

    expect(meta.history).toHaveLength(MAX_HISTORY);
    expect(meta.history.at(-1)).toEqual(attempt(29));
    expect(decodeMeta(JSON.stringify({ history: history.slice(0, 6) })).history).toEqual([]);
    expect(decodeMeta('{"history":{"length":3}}').history).toEqual([]);
  });

  it('sets no prototype', () => {
    const meta = decodeMeta(
      '{"__proto__":{"failedAttempts":3,"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
    );

    expect(meta).toEqual(FRESH_META);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it('never throws and is always in bounds', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        const meta = decodeMeta(text);
        expect(meta.failedAttempts).toBeGreaterThanOrEqual(0);
        expect(meta.failedAttempts).toBeLessThanOrEqual(1_000_000);
        expect(meta.history.length).toBeLessThanOrEqual(MAX_HISTORY);
      }),
    );
  });
});

import type { TaskSnapshot } from 'nestjs-task-streams';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { toTaxExport } from './tax-export-view.js';

const NOW = Date.UTC(2026, 11, 1, 4, 31, 12);
const progress = { percent: 6, rows: 60_000, workerPid: 77, at: NOW - 5_000 };
const running = { ref: 'reports~0~1', id: '1', queue: 'reports', state: 'active', progress } as unknown as TaskSnapshot;

beforeEach(() => vi.useFakeTimers({ now: NOW }));

afterEach(() => vi.useRealTimers());

describe('an export over HTTP', () => {
  it('says for how long its worker has told nothing', () => {
    expect(toTaxExport(running)).toMatchObject({ percent: 6, silentMs: 5_000, progress: { workerPid: 77 } });
  });

  it('says no such thing before it runs and after it has ended', () => {
    expect(toTaxExport({ ...running, progress: undefined }).silentMs).toBeUndefined();
    expect(toTaxExport({ ...running, state: 'completed' }).silentMs).toBeUndefined();
  });

  it('takes a clock of a worker that is ahead for no silence', () => {
    expect(toTaxExport({ ...running, progress: { ...progress, at: NOW + 900 } }).silentMs).toBe(0);
  });
});

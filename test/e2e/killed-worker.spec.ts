import { readdir } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ExportedFile } from '../../src/tax-exports/export-taxes.task.js';
import type { TaxExport } from '../../src/tax-exports/tax-export-view.js';
import { until } from '../../src/smoke/until.js';
import { startShop, type Shop } from './support/start-shop.js';

const ROWS = 2_000_000;
const STARTED_MS = 30_000;
const ENDED_MS = 90_000;

let shop: Shop;

beforeAll(async () => {
  shop = await startShop({ workers: 2 });
});

afterAll(async () => shop?.stop());

describe('a worker that is killed in the middle of an export', () => {
  it('loses nothing: another one finishes the export, once and whole', async () => {
    const { links } = await shop.client.post('/tax-exports', { year: 2025, rows: ROWS });
    const { workerPid } = await until('progress', () => progressOf(links.self), STARTED_MS);
    expect((await readdir(shop.reportsDir)).filter((name) => name.endsWith('.csv'))).toEqual([]);
    expect(await shop.workerOf(workerPid).end('SIGKILL')).toEqual({ code: null, signal: 'SIGKILL' });

    const ended = await shop.client.ended<TaxExport>(links.self, ENDED_MS);
    expect(ended).toMatchObject({ state: 'completed', failedAttempts: 0, deliveryCount: 2, result: { rows: ROWS } });
    const lines = await shop.client.lines(ended.links.file ?? '');
    expect(lines.count).toBe(ROWS + 2);
    expect(lines.last).toMatch(/^TOTAL,/);
    // The part that the killed worker left is gone too.
    expect(await readdir(shop.reportsDir)).toEqual([(ended.result as ExportedFile).file]);
  });
});

async function progressOf(path: string): Promise<TaxExport['progress']> {
  const { progress } = await shop.client.get<TaxExport>(path);
  return progress && progress.percent > 0 ? progress : undefined;
}

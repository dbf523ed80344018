import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Problem } from '../../src/problems/problem.js';
import type { Accepted } from '../../src/tasks/accepted.js';
import type { ExportedFile } from '../../src/tax-exports/export-taxes.task.js';
import type { TaxExport } from '../../src/tax-exports/tax-export-view.js';
import { startShop, type Shop } from './support/start-shop.js';

const ENDED_MS = 30_000;

let shop: Shop;

beforeAll(async () => {
  shop = await startShop({ workers: 1 });
});

afterAll(async () => shop?.stop());

describe('a tax export', () => {
  it('is accepted at once with its place and its durability, and becomes a file', async () => {
    const { status, headers, body } = await post({ year: 2025, rows: 2500 });
    expect(status).toBe(202);
    expect(headers.get('location')).toBe(body.links.self);
    expect(headers.get('retry-after')).toBe('1');
    expect(body).toMatchObject({ state: 'waiting', replayed: false, durability: { level: 'fsync' } });

    const ended = await shop.client.ended<TaxExport>(body.links.self, ENDED_MS);
    expect(ended).toMatchObject({ id: body.id, state: 'completed', percent: 100, failedAttempts: 0, deliveryCount: 1 });
    const lines = await shop.client.lines(ended.links.file ?? '');
    expect(lines).toMatchObject({ count: 2502, first: 'invoice,date,customer,net,vat_percent,vat,gross' });
    const { netCents, vatCents, bytes } = ended.result as ExportedFile;
    expect(lines.last).toBe(`TOTAL,,,${euros(netCents)},,${euros(vatCents)},${euros(netCents + vatCents)}`);
    const download = await fetch(new URL(ended.links.file ?? '', shop.client.url));
    expect(download.headers.get('content-length')).toBe(`${bytes}`);
    expect(download.headers.get('content-disposition')).toBe('attachment; filename="tax-report-2025.csv"');
    await download.body?.cancel();
  });

  it('is the same task under the same key, and a conflict under the same key with another body', async () => {
    const key = '100%/march';
    const first = await post({ year: 2025, rows: 10 }, key);
    const again = await post({ year: 2025, rows: 10 }, key);
    expect(again.status).toBe(202);
    expect(again.body).toMatchObject({ id: key, replayed: true, links: first.body.links });
    const { status, body } = await shop.client.send<Problem>('POST', '/tax-exports', {
      body: { year: 2024, rows: 10 },
      headers: { 'Idempotency-Key': key },
    });
    expect(status).toBe(422);
    expect(body).toMatchObject({ code: 'TASK_STREAMS_TASK_CONFLICT', detail: expect.stringContaining(key) as string });
    expect(await shop.client.ended(first.body.links.self, ENDED_MS)).toMatchObject({ id: key, state: 'completed' });
  });

  it('refuses a body that cannot be used, field by field', async () => {
    const { status, headers, body } = await shop.client.send<Problem>('POST', '/tax-exports', {
      body: { year: 1999, rows: 'many' },
    });
    expect(status).toBe(400);
    expect(headers.get('content-type')).toContain('application/problem+json');
    expect(body.errors).toContain('year must not be less than 2000 (it is 1999)');
    expect(body.errors?.join()).toContain('rows must be an integer number (it is "many")');
  });

  it('has no file before it is done, and says when to ask again', async () => {
    const { body } = await post({ year: 2025, rows: 1_000_000 });
    const { status, headers, body: problem } = await shop.client.send<Problem>('GET', `${body.links.self}/file`);
    expect(status).toBe(409);
    expect(headers.get('retry-after')).toBe('1');
    expect(problem.detail).toMatch(/^The export is not ready, it is (waiting|active): ask again when \/tax-exports\//);
    expect((await shop.client.ended(body.links.self, ENDED_MS * 2)).state).toBe('completed');
  });

  it('is not found under the ref of another task', async () => {
    for (const ref of ['reports~0~nothing', 'payments~0~nothing']) {
      expect((await shop.client.send('GET', `/tax-exports/${ref}`)).status).toBe(404);
      expect((await shop.client.send('GET', `/tax-exports/${ref}/file`)).status).toBe(404);
    }
    expect((await shop.client.send('GET', '/tax-exports/nothing')).status).toBe(400);
  });

  it('is gone when its file was removed', async () => {
    const { body } = await post({ year: 2025, rows: 10 });
    const ended = await shop.client.ended<TaxExport>(body.links.self, ENDED_MS);
    await rm(path.join(shop.reportsDir, (ended.result as ExportedFile).file));
    const { status, body: problem } = await shop.client.send<Problem>('GET', ended.links.file ?? '');
    expect(status).toBe(404);
    expect(problem.detail).toContain('export it again');
    expect((await readdir(shop.reportsDir)).filter((name) => !name.endsWith('.csv'))).toEqual([]);
  });
});

function post(body: object, key?: string) {
  return shop.client.send<Accepted>('POST', '/tax-exports', {
    body,
    ...(key === undefined ? {} : { headers: { 'Idempotency-Key': key } }),
  });
}

function euros(cents: number): string {
  return (cents / 100).toFixed(2);
}

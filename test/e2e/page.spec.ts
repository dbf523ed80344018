import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pageStep } from '../../src/smoke/steps/page.step.js';
import { startShop, type Shop } from './support/start-shop.js';

let shop: Shop;

beforeAll(async () => {
  shop = await startShop({ workers: 0 });
});

afterAll(async () => shop?.stop());

describe('the page', () => {
  it('answers with all its files', async () => {
    await expect(pageStep.check({ shop: shop.client, workerPids: async () => [] })).resolves.toMatch(/files$/);
  });

  it('loads nothing from elsewhere and has no script or style inside', async () => {
    const { body, headers } = await shop.client.send<string>('GET', '/');
    expect(headers.get('content-security-policy')).toContain("default-src 'self'");
    expect(body).not.toMatch(/https?:\/\//);
    expect(body).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)/);
  });

  it('leaves what it does not have to a problem', async () => {
    const { status, headers } = await shop.client.send('GET', '/nothing');
    expect(status).toBe(404);
    expect(headers.get('content-type')).toContain('application/problem+json');
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pageStep } from '../../src/smoke/steps/page.step.js';
import { startShop, type Shop } from './support/start-shop.js';

const files = ['card', 'export-card', 'health', 'letters', 'notify-card', 'page', 'pay-card', 'poison-card'].map(
  (name) => `${name}.js`,
);

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

  it('has every part that its scripts look for, and a name for each section and field', async () => {
    const { body } = await shop.client.send<string>('GET', '/');
    const scripts = await Promise.all(files.map(async (file) => (await shop.client.send<string>('GET', file)).body));
    const all = scripts.join('\n');
    const parts = [...all.matchAll(/(?:part|text|show|note)\('([a-z-]+)'/g), ...all.matchAll(/data-part="([a-z-]+)"/g)];
    const wanted = new Set(parts.map(([, name]) => name));
    expect(wanted.size).toBeGreaterThan(20);
    expect([...wanted].filter((name) => !body.includes(`data-part="${name}"`))).toEqual([]);
    const sections = body.match(/<section/g)?.length;
    expect(body.match(/<section[^>]*aria-labelledby="[\w-]+"/g)).toHaveLength(sections ?? 0);
    expect(body).not.toMatch(/<(?:select|textarea)(?![\s\S]{0,200}<\/label>)/);
  });

  it('leaves what it does not have to a problem', async () => {
    const { status, headers } = await shop.client.send('GET', '/nothing');
    expect(status).toBe(404);
    expect(headers.get('content-type')).toContain('application/problem+json');
  });
});

import { describe, expect, it } from 'vitest';
import { optionsPage } from '../support/options-page.js';

describe('the page of options', () => {
  it('tells what the sources tell', async () => {
    await expect(optionsPage()).toMatchFileSnapshot('../../docs/options.md');
  });

  it('has every default that the library resolves, in words too', () => {
    const page = optionsPage();
    expect(page).toContain('| `leaseMs` | `number` | ms | `30000` (30 s) |');
    expect(page).toContain('| `limits.maxPayloadBytes` | `number` | bytes | `1048576` (1 MiB) |');
    expect(page).not.toMatch(/undefined|\[object/);
  });
});

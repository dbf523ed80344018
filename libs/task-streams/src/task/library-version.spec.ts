import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { LIBRARY_VERSION } from './library-version.js';

it('is the version of the package', () => {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  expect(LIBRARY_VERSION).toBe((JSON.parse(text) as { version: string }).version);
});

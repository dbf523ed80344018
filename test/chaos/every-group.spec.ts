import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { GROUPS } from './scenarios/index.js';

it('every group of scenarios has a spec, so that none is left out', () => {
  const specs = readdirSync(new URL('groups/', import.meta.url)).filter((file) => file.endsWith('.spec.ts'));
  expect(specs.map((file) => file.replace('.spec.ts', '')).sort()).toEqual(Object.keys(GROUPS).sort());
});

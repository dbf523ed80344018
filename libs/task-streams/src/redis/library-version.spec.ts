import { expect, it } from 'vitest';
import { libraryVersion } from './library-version.js';

it('is the version of this package', () => {
  expect(libraryVersion()).toMatch(/^\d+\.\d+\.\d+/);
});

it.each(['../../missing.json', '../../../../package.json', './library-version.ts'])(
  'is unknown where the package is not beside the code: %s',
  (file) => {
    expect(libraryVersion(new URL(file, import.meta.url))).toBe('unknown');
  },
);

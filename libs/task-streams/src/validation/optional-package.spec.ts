import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { optionalPackage } from './optional-package.js';

const ABSENT = 'no-such-package-of-task-streams';

const loadAbsent = async (): Promise<unknown> => createRequire(import.meta.url)(ABSENT) as unknown;

/** As Node says it of ES modules. */
function notFound(name: string): Error {
  const message = `Cannot find package '${name}' imported from /app/node_modules/x/index.js`;
  return Object.assign(new Error(message), { code: 'ERR_MODULE_NOT_FOUND' });
}

describe('an optional package', () => {
  it('is undefined where it is absent', async () => {
    expect(await optionalPackage(ABSENT, loadAbsent)).toBeUndefined();
    expect(await optionalPackage('x', () => Promise.reject(notFound('x')))).toBeUndefined();
  });

  it('is an error where it is broken, or misses a package of its own', async () => {
    await expect(optionalPackage('x', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    await expect(optionalPackage('x', loadAbsent)).rejects.toThrow(ABSENT);
    await expect(optionalPackage('class-validator', () => Promise.reject(notFound('validator')))).rejects.toThrow(
      "'validator'",
    );
  });
});

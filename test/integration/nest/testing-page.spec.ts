import { afterAll, describe, expect, inject, it, vi } from 'vitest';

type Example = readonly [name: string, work: () => Promise<void>];

const examples: Example[] = [];
vi.stubEnv('REDIS_URL', inject('redisUrl'));
vi.stubGlobal('expect', expect);
vi.stubGlobal('it', (...example: Example) => examples.push(example));
await import('../../../docs/examples/testing.js');

afterAll(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

describe('the page on testing', () => {
  it('has its examples', () => {
    expect(examples.length).toBeGreaterThan(2);
  });

  it.each(examples)('has a test that passes: %s', async (_name, work) => {
    await work();
  });
});

import { describe, expect, it } from 'vitest';
import { resolveOptions } from '../options/resolve-options.js';
import { applyMessageOptions, resolvePolicy } from './resolve-policy.js';

const module = resolveOptions({ retry: { attempts: 7 }, timeoutMs: 100 });

describe('the policy of a task', () => {
  it('is what the module says where the handler says nothing', () => {
    const policy = resolvePolicy(module, {});
    expect(policy).toMatchObject({
      retry: { attempts: 7, immediateRetries: 0 },
      timeoutMs: 100,
      idempotency: { key: undefined, ttlMs: 86_400_000 },
      keepsDeadLetters: true,
      pieces: { idempotency: true, retry: true, deadLetter: true },
    });
    expect(applyMessageOptions(policy, {})).toBe(policy);
  });

  it('is what the handler says, option by option', () => {
    const policy = resolvePolicy(module, {
      retry: { backoff: [5] },
      timeoutMs: false,
      idempotency: { ttlMs: 9 },
      deadLetter: { keep: false },
    });
    expect(policy).toMatchObject({
      retry: { attempts: 7, backoff: [5] },
      timeoutMs: undefined,
      idempotency: { ttlMs: 9 },
      keepsDeadLetters: false,
      pieces: { deadLetter: true },
    });
  });

  it('is what the message says above all', () => {
    const policy = applyMessageOptions(resolvePolicy(module, { retry: { attempts: 3 }, timeoutMs: 5 }), {
      attempts: 2,
      timeoutMs: 1,
      backoff: [8],
    });
    expect(policy).toMatchObject({ retry: { attempts: 2, backoff: [8] }, timeoutMs: 1 });
  });

  it('is one attempt with retry off, whatever the message says', () => {
    const policy = applyMessageOptions(resolvePolicy(module, { retry: false }), { attempts: 9, timeoutMs: 1 });
    expect(policy).toMatchObject({ retry: { attempts: 1 }, timeoutMs: 1, pieces: { retry: false } });
  });

  it('switches pieces off', () => {
    const policy = resolvePolicy(module, { idempotency: false, deadLetter: false });
    expect(policy).toMatchObject({ idempotency: undefined, keepsDeadLetters: false });
    expect(policy.pieces).toEqual({ idempotency: false, retry: true, deadLetter: false });
  });
});

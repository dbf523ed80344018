import { describe, expect, it } from 'vitest';
import { effectKey, MAX_EFFECT_KEY } from './effect-key.js';

describe('effectKey', () => {
  it('is the queue, the task and the key', () => {
    expect(effectKey('payments', 'payments.debit', 'tx-17')).toBe('payments/payments.debit/tx-17');
  });

  it.each([
    ['spaces', 'q', 't', 'order 17', 'q/t/order%2017'],
    ['a percent sign', 'q', 't', '100%', 'q/t/100%25'],
    ['letters beyond ASCII', 'Käse', 't', '🧀', 'K%C3%A4se/t/%F0%9F%A7%80'],
    ['a slash in the queue', 'a/b', 't', 'k', 'a%2Fb/t/k'],
    ['slashes in the key', 'q', 't', 'a/b//c', 'q/t/a/b//c'],
  ])('is printable ASCII without spaces: %s', (_what, queue, task, key, expected) => {
    expect(effectKey(queue, task, key)).toBe(expected);
  });

  it('has at most 255 characters: of a longer one there is a hash', () => {
    const prefix = 'q/t/'.length;
    const fits = effectKey('q', 't', 'k'.repeat(MAX_EFFECT_KEY - prefix));
    expect(fits).toHaveLength(255);
    const hashed = effectKey('q', 't', 'k'.repeat(MAX_EFFECT_KEY - prefix + 1));
    expect(hashed).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(effectKey('q', 't', '🧀'.repeat(128))).toMatch(/^sha256:/);
  });

  it('is another one for every other queue, task or key', () => {
    const parts = ['a', 'a/b', 'b', 'a%2Fb', '%', ' ', 'ä', 'k'.repeat(256), `${'k'.repeat(255)}l`];
    const keys = parts.flatMap((queue) =>
      parts.filter((task) => !task.includes('/')).flatMap((task) => parts.map((key) => effectKey(queue, task, key))),
    );
    expect(new Set(keys).size).toBe(keys.length);
  });
});

import { describe, expect, it } from 'vitest';
import { InvalidNameError } from './config-errors.js';
import { requireIdempotencyKey, requireQueueName, requireTaskId, requireTaskName } from './names.js';

const all = { requireQueueName, requireTaskName, requireTaskId, requireIdempotencyKey };

describe.each(Object.entries(all))('%s', (_, require) => {
  it.each(['a', 'reports.tax-export', 'Łódź:東京', 'x'.repeat(256), '__proto__', '~%?#"'])(
    'answers %s as it is',
    (name) => {
      expect(require(name)).toBe(name);
    },
  );

  it.each(['', 'x'.repeat(257), 'a\nb', 'a\u0000b', 'a\u007fb', 'a\ud800', '\udc00a', undefined, null, 7, {}, ['a']])(
    'refuses %o',
    (name) => {
      expect(() => require(name)).toThrow(InvalidNameError);
    },
  );
});

describe('the names that become parts of keys', () => {
  it.each([requireQueueName, requireTaskName, requireTaskId])('have no white space', (require) => {
    for (const name of ['a b', ' a', 'a\u00a0b', 'a\u2028b', 'a\ufeffb'])
      expect(() => require(name)).toThrow(InvalidNameError);
  });

  it('have no braces where they name a queue, which would move its slot', () => {
    expect(() => requireQueueName('{a}')).toThrow('braces');
    expect(requireTaskId('{a}')).toBe('{a}');
  });

  it('have no slash where they name a task, which ends the name in a scope', () => {
    expect(() => requireTaskName('a/b')).toThrow('a slash');
    expect(requireQueueName('a/b')).toBe('a/b');
  });

  it('allow spaces in an idempotency key', () => {
    expect(requireIdempotencyKey('order 7')).toBe('order 7');
  });

  it('say what is wrong with a long one without repeating it', () => {
    expect(() => requireTaskId('x'.repeat(10_000))).toThrow(/^Task id "x{80}…" cannot be used: .*has 10000$/);
  });
});

import { describe, expect, it } from 'vitest';
import { InvalidNameError, UsageError } from '../task/config-errors.js';
import { TaskCatalog } from './task-catalog.js';

describe('TaskCatalog', () => {
  it('finds the queue of a name', () => {
    const catalog = new TaskCatalog();
    catalog.declare('mail.send', 'mail');

    expect(catalog.queueOf('mail.send')).toBe('mail');
  });

  it.each(['unknown', '__proto__', 'constructor', 'toString'])('knows no queue of %s', (name) => {
    expect(new TaskCatalog().queueOf(name)).toBeUndefined();
  });

  it('takes one declaration twice, as the two sides of one process make it', () => {
    const catalog = new TaskCatalog();
    catalog.declare('mail.send', 'mail');
    catalog.declare('mail.send', 'mail');

    expect(catalog.queueOf('mail.send')).toBe('mail');
    expect([...catalog.entries()]).toEqual([{ name: 'mail.send', queue: 'mail' }]);
  });

  it('asks the sender to choose between two queues', () => {
    const catalog = new TaskCatalog();
    catalog.declare('mail.send', 'mail');
    catalog.declare('mail.send', 'bulk');

    expect(() => catalog.queueOf('mail.send')).toThrow(UsageError);
    expect(() => catalog.queueOf('mail.send')).toThrow('the queues "mail" and "bulk"');
    expect([...catalog.entries()]).toHaveLength(2);
  });

  it('refuses names that cannot be used', () => {
    expect(() => new TaskCatalog().declare('a b', 'mail')).toThrow(InvalidNameError);
    expect(() => new TaskCatalog().declare('mail.send', '{mail}')).toThrow(InvalidNameError);
  });
});

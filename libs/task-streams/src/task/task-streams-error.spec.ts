import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { RetryLaterError, UnrecoverableError } from './handler-errors.js';
import { IdempotencyBusyError } from './idempotency-errors.js';
import { ErrorName, TaskStreamsError } from './task-streams.error.js';

/** As another copy of this library would have them, from another package's node_modules or as CommonJS. */
const other = (() => {
  @ErrorName('TaskStreamsError')
  class Base extends Error {}
  @ErrorName('RetryLaterError')
  class Later extends Base {}
  @ErrorName('IdempotencyBusyError')
  class Busy extends Later {}
  @ErrorName('UnrecoverableError')
  class Unrecoverable extends Base {}
  return { Busy, Unrecoverable };
})();

describe('an error of another copy of the library', () => {
  it('is an instance of the class it would be here, and of those that extends', () => {
    const busy = new other.Busy();
    expect(busy).toBeInstanceOf(IdempotencyBusyError);
    expect(busy).toBeInstanceOf(RetryLaterError);
    expect(busy).toBeInstanceOf(TaskStreamsError);
    expect(busy).not.toBeInstanceOf(UnrecoverableError);
    expect(new other.Unrecoverable()).not.toBeInstanceOf(RetryLaterError);
  });

  it('is one of a class of the application only where that made it', () => {
    class NoSuchCustomer extends UnrecoverableError {}
    class NoSuchOrder extends other.Unrecoverable {}

    expect(new NoSuchOrder()).toBeInstanceOf(UnrecoverableError);
    expect(new NoSuchOrder()).not.toBeInstanceOf(NoSuchCustomer);
    expect(new other.Unrecoverable()).not.toBeInstanceOf(NoSuchCustomer);
    expect(new NoSuchCustomer('17')).toBeInstanceOf(NoSuchCustomer);
    expect(new NoSuchCustomer('17').name).toBe('NoSuchCustomer');
  });
});

it('knows what is no error', () => {
  const values = [
    undefined,
    null,
    'text',
    17,
    {},
    Object.create(null),
    new Error('boom'),
    UnrecoverableError.prototype.constructor,
  ];
  expect(values.filter((value) => value instanceof TaskStreamsError)).toEqual([]);
});

it('has a name for every class that extends it', () => {
  const folder = new URL('.', import.meta.url);
  const nameless = readdirSync(folder)
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'))
    .flatMap((file) => [
      ...readFileSync(new URL(file, folder), 'utf8').matchAll(/(.*)\nexport (?:abstract )?class (\w+Error) /g),
    ])
    .filter(([, before, name]) => before !== `@ErrorName('${name}')`);
  expect(nameless.map(([, , name]) => name)).toEqual([]);
});

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { InvalidNameError, InvalidOptionError, UsageError } from '../task/config-errors.js';
import { PayloadNotSerializableError } from '../task/producer-errors.js';
import { defineTask, type TaskContract } from '../task/task-contract.js';
import type { EnqueueItem } from '../task/task-outcome.js';
import { encodeTask, type EncodeDeps } from './encode-task.js';
import type { EnqueueOptions } from './enqueue-options.js';
import { TaskCatalog } from './task-catalog.js';

const NOW = Date.UTC(2026, 0, 1);
const TEN_YEARS = 315_360_000_000;
const contract = defineTask<{ a: number }>('mail.send', { queue: 'mail' });
const deps: EncodeDeps = {
  limits: { maxPayloadBytes: 1_000, maxPayloadDepth: 10, maxHeaders: 3 },
  defaultQueue: undefined,
  catalog: new TaskCatalog(),
};

function encode(options: unknown = {}): EnqueueItem {
  return encodeTask('demo', { a: 1 }, options as EnqueueOptions, deps).item;
}

beforeEach(() => vi.useFakeTimers({ now: NOW }));
afterEach(() => vi.useRealTimers());

describe('encodeTask', () => {
  it('makes an item that runs at once and leaves everything to the handler', () => {
    expect(encodeTask('demo', { a: 1 }, {}, deps)).toEqual({
      queue: 'default',
      item: {
        id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/) as string,
        name: 'demo',
        idempotencyKey: '',
        head: '',
        body: '{"a":1}',
        delayMs: 0,
        runAt: 0,
      },
    });
  });

  it('takes id and idempotency key as they are given', () => {
    expect(encode({ id: 'order-7', idempotencyKey: 'order 7' })).toMatchObject({
      id: 'order-7',
      idempotencyKey: 'order 7',
    });
  });

  it('takes undefined for an option that was left out', () => {
    expect(
      encode({ id: undefined, queue: undefined, headers: undefined, delayMs: undefined, attempts: undefined }),
    ).toMatchObject({ head: '' });
  });

  it.each([
    { id: '' },
    { id: 'a b' },
    { id: 7 },
    { id: null },
    { idempotencyKey: '' },
    { idempotencyKey: '\ud800' },
    { queue: '{a}' },
    { queue: '' },
  ])('refuses %o', (options) => {
    expect(() => encode(options)).toThrow(InvalidNameError);
  });

  it.each([undefined, null, '', 'a/b', {}, 7])('refuses the task %o', (task) => {
    expect(() => encodeTask(task as string, {}, {}, deps)).toThrow(InvalidNameError);
  });

  it('refuses a contract made by hand that names no queue', () => {
    expect(() => encodeTask({ name: 'demo' } as unknown as TaskContract, {}, {}, deps)).toThrow('Queue name');
  });

  it('names the task in the error of a payload', () => {
    expect(() => encodeTask('demo', { n: 1n }, {}, deps)).toThrow(PayloadNotSerializableError);
    expect(() => encodeTask('demo', { n: 1n }, {}, deps)).toThrow('task "demo"');
  });

  it.each([
    [{ delay: 5 }, 'did you mean delayMs?'],
    [{ attempt: 5 }, 'did you mean attempts?'],
    [{ jobId: '5' }, 'the names are id, queue'],
  ])('refuses the unknown option %o', (options, hint) => {
    expect(() => encode(options)).toThrow(hint);
  });
});

describe('the queue of a task', () => {
  const catalog = new TaskCatalog();
  catalog.declare('mail.send', 'letters');
  catalog.declare('both', 'a');
  catalog.declare('both', 'b');
  const queueOf = (task: string | TaskContract, options: EnqueueOptions, defaultQueue?: string): string =>
    encodeTask(task, {}, options, { ...deps, catalog, defaultQueue }).queue;

  it('is the one that was chosen, before any other', () => {
    expect(queueOf(contract, { queue: 'chosen' }, 'client')).toBe('chosen');
    expect(queueOf('both', { queue: 'chosen' })).toBe('chosen');
  });

  it('is the one of the contract', () => {
    expect(queueOf(contract, {}, 'client')).toBe('mail');
  });

  it('is the one of the client for a name', () => {
    expect(queueOf('mail.send', {}, 'client')).toBe('client');
  });

  it('is found by the name, and is the default one for an unknown name', () => {
    expect(queueOf('mail.send', {})).toBe('letters');
    expect(queueOf('unknown', {})).toBe('default');
  });

  it('must be chosen where the name is taken from several', () => {
    expect(() => queueOf('both', {})).toThrow(UsageError);
  });
});

describe('headers', () => {
  it('are text in the head', () => {
    expect(encode({ headers: { tenant: 'acme', empty: '' } }).head).toBe('{"headers":{"tenant":"acme","empty":""}}');
  });

  it('leave no trace where there are none', () => {
    expect(encode({ headers: {} }).head).toBe('');
  });

  it('may be called __proto__ without setting a prototype', () => {
    const headers: unknown = JSON.parse('{"__proto__":"x","constructor":"y"}');

    expect(encode({ headers }).head).toBe('{"headers":{"__proto__":"x","constructor":"y"}}');
    expect(encode({ headers: Object.assign(Object.create(null) as object, { a: 'b' }) }).head).toBe(
      '{"headers":{"a":"b"}}',
    );
  });

  it.each([
    { a: 7 },
    { a: undefined },
    { a: ['x'] },
    { '': 'x' },
    { 'a\n': 'x' },
    { ['n'.repeat(129)]: 'x' },
    { a: 'v'.repeat(4_097) },
    { a: '', b: '', c: '', d: '' },
    new Map([['a', 'b']]),
    new Headers({ a: 'b' }),
    ['a'],
    'a',
    null,
  ])('are refused where they are not plain text in bounds: %o', (headers) => {
    expect(() => encode({ headers })).toThrow(InvalidNameError);
  });

  it('are accepted up to the bounds', () => {
    expect(encode({ headers: { ['n'.repeat(128)]: 'v'.repeat(4_096), b: '', c: '' } }).head).toHaveLength(4_257);
  });
});

describe('what the message asks for', () => {
  it('travels in the head', () => {
    const options = { attempts: 2, backoff: { type: 'fixed', delayMs: 5 }, timeoutMs: 100, headers: { a: 'b' } };

    expect(JSON.parse(encode(options).head)).toEqual({
      headers: { a: 'b' },
      options: { attempts: 2, backoff: { type: 'fixed', delayMs: 5 }, timeoutMs: 100 },
    });
    expect(encode({ backoff: [1, 2] }).head).toBe('{"options":{"backoff":[1,2]}}');
  });

  it.each([
    ['enqueue.attempts', { attempts: 0 }],
    ['enqueue.attempts', { attempts: 1.5 }],
    ['enqueue.attempts', { attempts: '5' }],
    ['enqueue.timeoutMs', { timeoutMs: 0 }],
    ['enqueue.timeoutMs', { timeoutMs: false }],
    ['enqueue.timeoutMs', { timeoutMs: 2 ** 31 }],
    ['enqueue.backoff', { backoff: () => 5 }],
    ['enqueue.backoff', { backoff: [] }],
    ['enqueue.backoff[0]', { backoff: [-1] }],
    ['enqueue.backoff.type', { backoff: { type: 'quadratic' } }],
  ])('%s is refused: %o', (option, options) => {
    expect(() => encode(options)).toThrow(expect.objectContaining({ option }) as InvalidOptionError);
  });
});

describe('when a task is due', () => {
  it('is a delay in whole milliseconds, rounded up', () => {
    expect(encode({ delayMs: 0 })).toMatchObject({ delayMs: 0, runAt: 0 });
    expect(encode({ delayMs: 1_000.2 })).toMatchObject({ delayMs: 1_001, runAt: 0 });
    expect(encode({ delayMs: TEN_YEARS })).toMatchObject({ delayMs: TEN_YEARS });
  });

  it('is a time, also one that has passed', () => {
    expect(encode({ runAt: new Date(NOW + 5) })).toMatchObject({ delayMs: 0, runAt: NOW + 5 });
    expect(encode({ runAt: NOW - 5_000 })).toMatchObject({ runAt: NOW - 5_000 });
    expect(encode({ runAt: NOW + TEN_YEARS })).toMatchObject({ runAt: NOW + TEN_YEARS });
  });

  it.each([
    { delayMs: -1 },
    { delayMs: NaN },
    { delayMs: Infinity },
    { delayMs: '5' },
    { delayMs: null },
    { delayMs: TEN_YEARS + 1 },
    { runAt: new Date(NaN) },
    { runAt: NaN },
    { runAt: '2026-01-01' },
    { runAt: null },
    { runAt: -1 },
    { runAt: NOW + TEN_YEARS + 1 },
    { delayMs: 0, runAt: new Date(NOW) },
  ])('is refused where it is no time: %o', (options) => {
    expect(() => encode(options)).toThrow(InvalidOptionError);
  });

  it('is not a time in seconds', () => {
    expect(() => encode({ runAt: NOW / 1_000 })).toThrow('not seconds');
  });
});

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { TaskCatalog } from '../producer/task-catalog.js';
import { encodeTask } from '../producer/encode-task.js';
import type { EnqueueOptions } from '../producer/enqueue-options.js';
import { defineTask } from '../task/task-contract.js';
import { EnqueueWatch } from './enqueue-watch.js';

const LIMITS = { maxPayloadBytes: 1_000, maxPayloadDepth: 10, maxHeaders: 10 };
const EMPTY = { waiting: 0, delayed: 0, liveConsumers: 0 };

/** A process that works on `mail`, and has declared a task of `bills`. */
function watching(report: unknown = EMPTY, ownQueues: readonly string[] = ['mail']) {
  const catalog = new TaskCatalog();
  catalog.declare('mail.send', 'mail');
  catalog.declare('mail.receive', 'mail');
  catalog.declare('bill.pay', 'bills');
  const lines: string[] = [];
  const inspect = vi.fn(async () => (report instanceof Error ? Promise.reject(report) : report) as never);
  const watch = new EnqueueWatch({
    catalog,
    queues: { inspect },
    ownQueues,
    log: { warn: (line) => lines.push(line) },
  });
  const enqueue = (task: Parameters<typeof encodeTask>[0], options: EnqueueOptions = {}) =>
    encodeTask(task, {}, options, { limits: LIMITS, defaultQueue: undefined, catalog }).queue;
  return { watch, lines, enqueue, inspect };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('a name that this process does not know', () => {
  it('is told once, with the one that was meant', () => {
    const { enqueue, lines } = watching();
    for (let i = 0; i < 3; i += 1) expect(enqueue('mail.sned')).toBe('default');
    expect(lines).toEqual([
      expect.stringMatching(
        /^Task "mail\.sned" was enqueued by its name to queue "default".*\(did you mean mail\.send\?\)/,
      ),
    ]);
    enqueue('elsewhere');
    expect(lines[1]).toMatch(/\(the names are mail\.send, mail\.receive, bill\.pay\)/);
  });

  it('is told where its queue is worked on here', () => {
    const { enqueue, lines } = watching();
    enqueue('mail.sned', { queue: 'mail' });
    enqueue(defineTask('mail.recieve', { queue: 'mail' }));
    expect(lines).toEqual([
      expect.stringMatching(
        /^Task "mail\.sned" was enqueued to queue "mail".*did you mean mail\.send\?.*"unknown-task"/,
      ),
      expect.stringMatching(/^Task "mail\.recieve".*did you mean mail\.receive\?/),
    ]);
  });

  it.each<[string, Parameters<typeof encodeTask>[0], EnqueueOptions]>([
    ['its queue is given', 'mail.sned', { queue: 'bills' }],
    ['it is a contract of another queue', defineTask('other', { queue: 'others' }), {}],
    ['it is a contract of the default queue', defineTask('other'), {}],
    ['it is known', 'bill.pay', {}],
  ])('is nobody’s business where %s', (_, task, options) => {
    const { enqueue, lines } = watching();
    enqueue(task, options);
    expect(lines).toEqual([]);
  });

  it('is not told after the end, nor in a process that knows no name', () => {
    const { enqueue, lines, watch } = watching();
    watch.stop();
    enqueue('mail.sned');
    expect(lines).toEqual([]);
    const catalog = new TaskCatalog();
    void new EnqueueWatch({
      catalog,
      queues: { inspect: vi.fn() },
      ownQueues: [],
      log: { warn: (line) => lines.push(line) },
    });
    encodeTask('any', {}, {}, { limits: LIMITS, defaultQueue: undefined, catalog });
    expect(lines).toEqual([]);
  });
});

describe('a queue that nobody works on', () => {
  const WAITING = { waiting: 2, delayed: 1, liveConsumers: 0 };

  it('is looked at once, and told where tasks wait', async () => {
    const { enqueue, lines, inspect } = watching(WAITING);
    for (let i = 0; i < 3; i += 1) enqueue('bill.pay');
    enqueue('bill.send', { queue: 'bills' });
    enqueue('mail.send');
    await vi.advanceTimersByTimeAsync(600_000);
    expect(inspect.mock.calls).toEqual([['bills']]);
    expect(lines).toEqual([
      expect.stringMatching(
        /queue "bills", and no worker of it is alive: 2 tasks wait, 1 are delayed\. Start its worker/,
      ),
    ]);
  });

  it.each([
    ['somebody works on it', { ...WAITING, liveConsumers: 1 }],
    ['nothing waits', EMPTY],
    ['Redis does not answer', new Error('no')],
  ])('is not told where %s', async (_, report) => {
    const { enqueue, lines } = watching(report);
    enqueue('bill.pay');
    await vi.advanceTimersByTimeAsync(600_000);
    expect(lines).toEqual([]);
  });

  it('leaves no timer behind', () => {
    const { enqueue, watch } = watching();
    enqueue('bill.pay');
    expect(vi.getTimerCount()).toBe(1);
    watch.stop();
    expect(vi.getTimerCount()).toBe(0);
  });
});

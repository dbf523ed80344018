import { Logger, type LoggerService } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { deadLetter } from '../../../../test/support/broker/settlements.js';
import { deliveryOf } from '../../../../test/support/nest/deliveries.js';
import type { SettleReply } from '../contracts/work-store.interface.js';
import { FRESH_META } from '../task/task-meta.js';
import type { TaskOutcome } from '../task/task-outcome.js';
import { LoggingObserver } from './logging-observer.js';
import { WorkerEvents } from './worker-events.js';

const lines: { level: string; message: unknown; rest: unknown[] }[] = [];
const recorder = Object.fromEntries(
  ['log', 'warn', 'error', 'debug'].map((level) => [
    level,
    (message: unknown, ...rest: unknown[]) => lines.push({ level, message, rest }),
  ]),
) as unknown as LoggerService;

const delivery = deliveryOf({ taskId: 'a', name: 'mail.send', payload: { secret: 'hush' } });
const dead = deadLetter('timeout', {
  error: { name: 'TaskTimeoutError', message: 'too slow', stack: 'Error: too slow\n    at x' },
  failedAttempts: 5,
  history: [],
});

let events: WorkerEvents;

function settle(outcome: TaskOutcome, reply: SettleReply = { kind: 'done' }): void {
  events.observe({ kind: 'settled', delivery, outcome, reply, durationMs: 12 });
}

beforeEach(() => {
  lines.length = 0;
  Logger.overrideLogger(recorder);
  events = new WorkerEvents();
  events.listen(new LoggingObserver(true, { consumer: 'w1', traceOf: undefined }));
});

afterEach(() => Logger.overrideLogger(['log', 'error', 'warn']));

describe('LoggingObserver', () => {
  it('warns of a retry, with fields', () => {
    const meta = { ...FRESH_META, failedAttempts: 2 };
    settle({ kind: 'retry', delayMs: 400, meta, error: { name: 'Error', message: 'boom' } });
    expect(lines).toMatchObject([
      {
        level: 'warn',
        message: 'Task mail.send a failed, next attempt in 400 ms: boom',
        rest: [
          {
            event: 'retrying',
            taskId: 'a',
            task: 'mail.send',
            queue: 'default',
            attempt: 2,
            nextDelayMs: 400,
            durationMs: 12,
            consumer: 'w1',
            errorType: 'Error',
          },
          'TaskWorker',
        ],
      },
    ]);
  });

  it('reports a dead letter once, with its reason and stack', () => {
    settle(dead);
    expect(lines).toMatchObject([
      { level: 'error', rest: [{ reason: 'timeout' }, expect.stringContaining('at x'), 'TaskWorker'] },
    ]);
  });

  it('warns when a settlement is refused', () => {
    settle(dead, { kind: 'fenced' });
    settle(dead, { kind: 'refused', reply: 'WRONGTYPE' });
    expect(lines.map(({ level, message }) => [level, message])).toEqual([
      ['warn', 'Task mail.send a is not dead here: its lease was lost, another worker owns it'],
      ['warn', 'Task mail.send a is not dead: the settlement was refused (WRONGTYPE)'],
    ]);
  });

  it('says once that Redis fails and once that it works again', () => {
    const trouble = { kind: 'redis-error', queue: 'mail', operation: 'fetch', error: new Error('down') } as const;
    events.observe(trouble);
    events.observe(trouble);
    events.observe({ kind: 'redis-recovered', queue: 'mail', operation: 'fetch' });
    events.observe({ kind: 'redis-recovered', queue: 'mail', operation: 'fetch' });
    expect(lines.map(({ level }) => level)).toEqual(['error', 'log']);
  });

  it('says that leases are late, and what that means', () => {
    events.observe({
      kind: 'lease-late',
      queue: 'mail',
      sinceMs: 20_100,
      leaseMs: 30_000,
      heldCount: 3,
      why: 'redis',
    });
    expect(lines).toMatchObject([
      {
        level: 'warn',
        message: expect.stringMatching(
          /leases of 3 tasks were not renewed for 20100 of 30000 ms: Redis does not answer/,
        ),
      },
    ]);
  });

  it('is one line, whatever another program wrote into a name, an id or an error', () => {
    const hostile = 'a\nERROR [x]\r\u001b[31mred\u2028b\u202ec';
    const error = { name: 'Error', message: hostile };
    const meta = { ...FRESH_META, failedAttempts: 2 };
    events.observe({
      kind: 'settled',
      delivery: deliveryOf({ taskId: hostile, name: hostile }),
      outcome: { kind: 'retry', delayMs: 400, meta, error },
      reply: { kind: 'done' },
      durationMs: 1,
    });
    events.observe({ kind: 'redis-error', queue: hostile, operation: 'fetch', error: new Error(hostile) });
    const messages = lines.map(({ message }) => message);
    expect(messages).toHaveLength(2);
    for (const message of messages) expect(message).not.toMatch(/[\p{Cc}\u2028\u202e]/u);
    expect(messages[0]).toMatch(/^Task a ERROR \[x\] \[31mred b c a ERROR/);
  });

  it('names the worker whose task was taken over', () => {
    events.observe({ kind: 'reclaimed', delivery: { ...delivery, deliveryCount: 2 }, previousOwner: 'box:7:ab' });
    expect(lines).toMatchObject([
      { level: 'warn', message: expect.stringContaining('lease of worker box:7:ab expired') as string },
    ]);
    expect(lines[0]?.rest[0]).toMatchObject({ event: 'reclaimed', previousOwner: 'box:7:ab' });
  });

  it('never shows a payload', () => {
    for (const kind of ['started', 'lease-lost', 'abandoned'] as const) events.observe({ kind, delivery });
    events.observe({ kind: 'reclaimed', delivery, previousOwner: undefined });
    settle({
      kind: 'complete',
      result: { kind: 'stored', json: '"hush"' },
      key: undefined,
      followUps: [],
      replayed: false,
    });
    settle({ kind: 'release' });
    settle(dead);
    events.observe({ kind: 'payload-deleted', queue: 'mail', count: 2 });
    expect(lines.length).toBeGreaterThan(0);
    expect(JSON.stringify(lines)).not.toContain('hush');
  });

  it('says as an error that a handler ignores its abort signal', () => {
    events.observe({ kind: 'stuck', delivery, abandonedMs: 60_000 });
    expect(lines).toMatchObject([
      { level: 'error', message: expect.stringContaining('ignored its abort signal for 60000 ms') as string },
    ]);
  });

  it('warns of a task that may be what kills the process, and says how it starts', () => {
    for (const now of ['held', 'alone', 'beside'] as const) events.observe({ kind: 'suspect', delivery, now });
    expect(lines.map(({ level }) => level)).toEqual(['warn', 'warn', 'warn']);
    expect(lines[0]?.message).toContain('waits for its turn');
    expect(lines[1]?.message).toContain('starts alone in this process');
    expect(lines[2]?.rest[0]).toMatchObject({ event: 'suspect', now: 'beside' });
  });

  it('says of an expected outcome, and of a dropped task, that it is no error', () => {
    settle({ ...dead, expected: true });
    settle({ kind: 'expired', error: { name: 'UnrunnableTask', message: 'too late' }, failedAttempts: 0 });
    expect(lines.map(({ level }) => level)).toEqual(['log', 'log']);
    expect(lines[0]?.rest[0]).toMatchObject({ event: 'dead', isExpected: true });
    expect(lines[1]).toMatchObject({ message: expect.stringContaining('too late') as string });
  });
});

import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { deliveryOf } from '../../../../test/support/nest/deliveries.js';
import { PIPELINES, startOneHandler } from '../../../../test/support/nest/one-handler.js';
import type { TaskApp } from '../../../../test/support/nest/task-app.js';
import { decodeDeadLetter } from '../redis/dead-letters/decode-dead-letter.js';
import { DEAD_LETTER_REASONS } from '../task/dead-letter.js';
import { decodeEnvelope } from '../task/decode-envelope.js';
import { decodeTaskRecord } from '../task/task-record.js';

// Hundreds of runs each, on a machine that may be busy.
vi.setConfig({ testTimeout: 30_000 });

/** What any program can write into a stream: bytes, which ioredis makes text of. */
const bytes = fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array).toString());
/** Text that looks like something. */
const json = fc.oneof(
  fc.json(),
  fc.constantFrom(
    '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}',
    '{"headers":{"__proto__":{"polluted":1},"a":1},"options":{"__proto__":{"polluted":1}}}',
    '{"options":{"attempts":1e99,"backoff":{"type":"fixed","delayMs":-1},"timeoutMs":"x"}}',
    '{"options":{"expiry":{"ttlMs":-1,"deadline":1e400,"__proto__":{"polluted":1}}}}',
    '{"headers":{"a":"1","b":"2","c":"3","d":"4"}}',
    '['.repeat(5_000),
    '{"failedAttempts":1e400,"history":[{"__proto__":{"polluted":1},"error":{}}],"redriveCount":-1}',
  ),
);
const text = fc.oneof(bytes, json, fc.string({ unit: 'binary' }));
const line = fc.oneof(text, fc.constantFrom('', '1', '2', 'work', '__proto__', 'toString', 'a/b', 'x'.repeat(300)));
const head = fc.array(line, { maxLength: 7 }).map((lines) => lines.join('\n'));
/** A head that begins as one should, so that what comes after it is read. */
const likelyHead = fc.tuple(line, line, text).map(([id, key, extra]) => `2\n${id}\nwork\n${key}\n\n${extra}`);
const field = fc.oneof(
  fc.tuple(fc.constantFrom('head'), fc.oneof(head, likelyHead)),
  fc.tuple(fc.constantFrom('body', 'meta', 'dead.reason', 'dead.info', '__proto__', ''), text),
  fc.tuple(text, text),
);
const entry = fc.oneof(
  fc.array(field, { maxLength: 6 }).map((list) => list.flat()),
  fc.tuple(likelyHead, text, text).map(([h, body, meta]) => ['head', h, 'body', body, 'meta', meta]),
);

function expectCleanPrototype(): void {
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  expect(([] as { polluted?: unknown }).polluted).toBeUndefined();
}

describe('whatever lies in a stream', () => {
  it('is a task, or says why not: reading it never throws', () => {
    fc.assert(
      fc.property(entry, (fields) => {
        const decoded = decodeEnvelope(fields, 3);
        if (decoded.kind === 'malformed') {
          expect(DEAD_LETTER_REASONS).toContain(decoded.reason);
          expect(decoded.detail).not.toBe('');
        } else {
          expect(Object.keys(decoded.envelope.headers).length).toBeLessThanOrEqual(3);
        }
        expect(Number.isSafeInteger(decoded.meta.failedAttempts)).toBe(true);
        expectCleanPrototype();
      }),
      { numRuns: 500 },
    );
  });

  it('can be shown as a dead letter, and as a record', () => {
    fc.assert(
      fc.property(entry, text, (fields, record) => {
        const letter = decodeDeadLetter('q', '1-0', bytesOf(fields));
        expect(DEAD_LETTER_REASONS).toContain(letter.reason);
        decodeTaskRecord(record);
        expectCleanPrototype();
      }),
      { numRuns: 500 },
    );
  });
});

describe.each(PIPELINES)('in %s:', (_, pipeline) => {
  let running: TaskApp;

  beforeAll(async () => {
    running = await startOneHandler({
      pipeline,
      // As a careless handler does.
      run: (payload) => Object.assign({}, payload),
      options: {
        timing: { unknownTaskGraceMs: 0 },
        limits: { maxPayloadBytes: 100, maxPayloadDepth: 5, maxHeaders: 3 },
      },
    });
  });

  afterAll(() => running.app.close());

  it('an entry of arbitrary bytes is completed or set aside with a reason, and pollutes no prototype', async () => {
    await fc.assert(
      fc.asyncProperty(entry, async (fields) => {
        const outcome = await running.run(deliveryOf({ fields, taskId: 'a', name: 'work', keyClaim: { kind: 'won' } }));
        expect(['complete', 'dead-letter']).toContain(outcome.kind);
        if (outcome.kind === 'dead-letter') {
          expect(DEAD_LETTER_REASONS).toContain(outcome.info.reason);
          expect(outcome.info.error?.message).not.toBe('');
        }
        expectCleanPrototype();
      }),
      { numRuns: 300 },
    );
  });
});

describe('an entry with fields that imitate ours', () => {
  it('has no say in why it was set aside', () => {
    const forged = ['dead.reason', 'requested', 'dead.source', '9-9', 'dead.info', '{"worker":"forged"}'];
    const ours = ['dead.reason', 'timeout', 'dead.source', '1-0', 'dead.info', '{"worker":"w"}'];
    const fields = [...forged, 'head', '2\na\nwork\n\n', 'body', '1', ...ours];
    const letter = decodeDeadLetter('q', '2-0', bytesOf(fields));
    expect(letter).toMatchObject({ reason: 'timeout', sourceEntryId: '1-0', worker: 'w', taskId: 'a' });
  });

  it('has headers, and nothing else, where its headers are called like parts of the head', () => {
    const headers = {
      id: 'x',
      name: 'y',
      attempts: '1',
      options: '{"attempts":1}',
      'dead.reason': 'z',
      head: '2\nb\nc',
    };
    const decoded = decodeEnvelope(['head', `2\na\nwork\n\n\n${JSON.stringify({ headers })}`, 'body', '1'], 10);
    expect(decoded).toMatchObject({ envelope: { id: 'a', name: 'work', options: {}, headers } });
  });
});

function bytesOf(fields: readonly string[]): Buffer[] {
  return fields.map((field) => Buffer.from(field));
}

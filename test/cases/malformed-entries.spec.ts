import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { describe, expect, it } from 'vitest';
import { DEAD_LETTER_SINK, type DeadLetter, type DeadLetterSink } from '../../libs/task-streams/src/index.js';
import { Bench, many } from './support/bench.js';
import type { CaseHandler } from './support/case-app.js';
import { QUEUE } from './support/options.js';
import { entryOf, type EntryParts, type RawLetter } from './support/wire.js';

type Fields = readonly (string | Buffer)[];

async function workOn(entries: readonly Fields[], handler: CaseHandler = () => undefined): Promise<Bench> {
  const bench = await Bench.open();
  for (const fields of entries) await bench.xadd(fields);
  let good = 0;
  const { client } = await bench.app({
    words: { unknownTaskWindow: 300, maxAttempts: 2 },
    tasks: { job: handler, good: () => void (good += 1) },
  });
  await client.enqueueMany(many(20, {}, 'good', 'good'));
  await bench.drained();
  expect(good).toBe(20);
  return bench;
}

async function onlyLetter(bench: Bench): Promise<RawLetter> {
  const letters = await bench.deadLetters();
  expect(letters).toHaveLength(1);
  return letters[0] as RawLetter;
}

const MISSING = 'missing-field';
const INVALID = 'invalid-json';
const UNKNOWN = 'unknown-task';
const VERSION = 'unsupported-version';

describe('an entry that is no task', () => {
  const faults: readonly { readonly what: string; readonly fields: Fields; readonly reason: string }[] = [
    { what: 'no field that is known', fields: ['a', '1', 'b', '2'], reason: MISSING },
    { what: 'a field without a name', fields: ['', 'x'], reason: MISSING },
    { what: 'no payload', fields: entryOf({}).slice(0, 2), reason: MISSING },
    { what: 'a payload that is cut off', fields: entryOf({ body: '{"a":' }), reason: INVALID },
    { what: 'an empty payload', fields: entryOf({ body: '' }), reason: INVALID },
    { what: 'a payload of spaces', fields: entryOf({ body: '   ' }), reason: INVALID },
    { what: 'a byte order mark', fields: entryOf({ body: '\u{feff}{}' }), reason: INVALID },
    { what: 'no task name', fields: entryOf({ task: '' }), reason: MISSING },
    { what: 'a task name with a prototype in mind', fields: entryOf({ task: '__proto__' }), reason: UNKNOWN },
    { what: 'a task name that every object has', fields: entryOf({ task: 'toString' }), reason: UNKNOWN },
    { what: 'a task name of ten thousand characters', fields: entryOf({ task: 'n'.repeat(10_000) }), reason: MISSING },
    // What follows the end of the line is read as the next part, and so on: what is left for the headers is no JSON.
    { what: 'a line end in the task name', fields: entryOf({ task: 'a\nb' }), reason: INVALID },
    { what: 'what a terminal obeys in the task name', fields: entryOf({ task: 'a\r\u001b[2Jb' }), reason: MISSING },
    { what: 'a version of the far future', fields: entryOf({ version: '999' }), reason: VERSION },
    { what: 'a negative version', fields: entryOf({ version: '-1' }), reason: VERSION },
    { what: 'a version that is a word', fields: entryOf({ version: 'x' }), reason: VERSION },
    // The head says the version always: there is no entry of before there were versions.
    { what: 'no version', fields: entryOf({ version: '' }), reason: VERSION },
    { what: 'headers that are no JSON', fields: entryOf({ extra: '{"headers"' }), reason: INVALID },
  ];

  it.each(faults)('is set aside with its reason and its bytes: $what', async ({ fields, reason }) => {
    const letter = await onlyLetter(await workOn([fields]));
    expect(letter.reason).toBe(reason);
    expect(letter.original.filter((_, i) => letter.original[i - (i % 2)] !== 'meta')).toEqual(fields);
  });

  it('is set aside although its text is no UTF-8, with the very bytes', async () => {
    const body = Buffer.from([0xff, 0xfe, 0x00]);
    const bench = await workOn([entryOf({ body })]);
    const [[, fields] = []] = await bench.redis.xrangeBuffer(bench.key('dead'), '-', '+');
    const place = fields?.findIndex((value) => value.equals(body)) ?? -1;
    expect(fields?.[place - 1]?.toString()).toBe('body');
    expect((await onlyLetter(bench)).reason).toBe(INVALID);
  });

  it.each([
    { what: 'nothing but scalar data', body: '7', payload: 7 },
    { what: 'no headers', body: '{"a":1}', payload: { a: 1 } },
  ])('is one after all, with $what', async ({ body, payload }) => {
    const seen: unknown[] = [];
    await workOn([entryOf({ body })], (value: unknown) => seen.push(value));
    expect(seen).toEqual([payload]);
  });

  it('is set aside with all of its fields, more than a script can pass at once', async () => {
    const extras = Array.from({ length: 5_000 }, (_, i) => [`f${i}`, `v${i}`]).flat();
    const bench = await workOn([['x', '1', ...extras]]);
    const letter = await onlyLetter(bench);
    expect(letter.reason).toBe(MISSING);
    // An entry of so many fields is kept packed.
    expect(letter.original[0]).toBe('packed');
    for (const [i] of extras.entries()) if (i % 1_000 === 0) expect(letter.original[1]).toContain(`${extras[i]}`);
  });

  it('is a task where only the extra fields are strange: they are ignored, and the first of two counts', async () => {
    const seen: unknown[] = [];
    const body = entryOf({ body: '{"first":true}' });
    const extras = Array.from({ length: 100 }, (_, i) => [`f${i}`, 'v']).flat();
    await workOn([[...body, 'body', '{"first":false}', ...extras]], (value: unknown) => seen.push(value));
    expect(seen).toEqual([{ first: true }]);
  });
});

describe('a payload that another program wrote', () => {
  it('is set aside unparsed when it is too large', async () => {
    const body = JSON.stringify('x'.repeat(1_048_576));
    const letter = await onlyLetter(await workOn([entryOf({ body })]));
    expect(letter.reason).toBe('payload-too-large');
    expect(letter.body?.length).toBe(body.length);
  });

  it.each([5_000, 100_000])('is set aside unparsed when it is nested %i levels deep', async (depth) => {
    const body = '['.repeat(depth) + ']'.repeat(depth);
    const letter = await onlyLetter(await workOn([entryOf({ body })]));
    expect(letter.reason).toBe('payload-too-deep');
    expect(letter.body).toBe(body);
  });

  it('cannot reach a prototype', async () => {
    const body = '{"__proto__":{"admin":true},"constructor":{"prototype":{"x":1}},"a":{"__proto__":{"b":1}}}';
    const letter = await onlyLetter(await workOn([entryOf({ body })]));
    expect(letter).toMatchObject({ reason: 'validation', body });
    expect(({} as Record<string, unknown>)['admin']).toBeUndefined();
  });

  it('has every other member that was sent', async () => {
    const seen: unknown[] = [];
    await workOn([entryOf({ body: '{"constructor":{"prototype":{"x":1}}}' })], (payload) => seen.push(payload));
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
    expect(seen).toEqual([{ constructor: { prototype: { x: 1 } } }]);
  });

  const exact = [
    '{"n":9007199254740993,"huge":1e999,"small":-1,"big":1e308}',
    '{"a":1,"a":2}',
    '{ "spaces" :  [ 1 , 2 ] }',
  ];

  it.each(exact)('keeps its bytes over a retry and as a dead letter: %s', async (body) => {
    const seen: unknown[] = [];
    const letter = await onlyLetter(
      await workOn([entryOf({ body })], (payload: unknown) => {
        seen.push(payload);
        throw new Error('never');
      }),
    );
    // Twice what JSON.parse makes of it: the last of two equal keys, and numbers as JavaScript has them.
    expect(seen).toEqual([JSON.parse(body), JSON.parse(body)]);
    expect(letter).toMatchObject({ reason: 'attempts-exhausted', body });
  });
});

describe('counters that somebody forged', () => {
  const metas: readonly { readonly failedAttempts: unknown; readonly runs: number }[] = [
    { failedAttempts: 1e9, runs: 1 },
    { failedAttempts: -5, runs: 2 },
    { failedAttempts: 'abc', runs: 2 },
  ];

  it.each(metas)('make no task immortal: $failedAttempts failed attempts', async ({ failedAttempts, runs }) => {
    const attempts: number[] = [];
    const parts: EntryParts = { meta: JSON.stringify({ failedAttempts }) };
    const letter = await onlyLetter(
      await workOn([entryOf(parts)], (_: unknown, ctx) => {
        attempts.push(ctx.attempt);
        throw new Error('never');
      }),
    );
    expect(letter.reason).toBe('attempts-exhausted');
    expect(attempts).toHaveLength(runs);
    expect(Math.min(...attempts)).toBeGreaterThanOrEqual(1);
  });
});

describe('an application with filters of its own', () => {
  it('keeps its process and the queue when a payload is no JSON, and hears of it', async () => {
    const caught: unknown[] = [];
    const letters: DeadLetter[] = [];
    class EverythingFilter implements ExceptionFilter {
      catch(error: unknown, _host: ArgumentsHost): void {
        caught.push(error);
      }
    }
    Catch()(EverythingFilter);
    const sink: DeadLetterSink = { replacesStream: false, take: async (letter) => void letters.push(letter) };
    const bench = await Bench.open();
    let done = 0;
    await bench.xadd(entryOf({ id: 'broken', body: '{"a"' }));
    const { client, eventsOf } = await bench.app({
      tasks: { job: () => void (done += 1) },
      options: { enhancers: 'all' },
      providers: [{ provide: APP_FILTER, useClass: EverythingFilter }],
      moduleProviders: [{ provide: DEAD_LETTER_SINK, useValue: sink }],
    });
    await client.enqueue('job', {}, { queue: QUEUE });

    await bench.drained();
    expect(done).toBe(1);
    expect(await onlyLetter(bench)).toMatchObject({ reason: INVALID, id: 'broken', body: '{"a"' });
    // The filter cannot hear of it: nothing was run. The sink and the event do.
    expect(caught).toEqual([]);
    expect(letters).toMatchObject([{ taskId: 'broken', reason: INVALID }]);
    expect(eventsOf('settled').map((event) => event.outcome.kind)).toContain('dead-letter');
  });
});

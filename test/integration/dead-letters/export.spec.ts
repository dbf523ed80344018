import { describe, expect, it } from 'vitest';
import { AuditTrail } from '../../../libs/task-streams/src/operate/audit-trail.js';
import { encodeHead } from '../../../libs/task-streams/src/task/entry-head.js';
import { die, serviceOf, settleAsDead } from '../../support/broker/dead-letters.js';
import { item, openBroker } from '../../support/broker/open-broker.js';

async function openLetters() {
  const bench = await openBroker();
  return { ...bench, letters: serviceOf(bench.broker), trail: new AuditTrail(bench.broker) };
}

async function linesOf(lines: AsyncIterable<string>): Promise<string[]> {
  const all: string[] = [];
  for await (const line of lines) all.push(line);
  return all;
}

describe('an export', () => {
  it('is a line a letter, and comes back as it was in another environment', async () => {
    const here = await openLetters();
    await die(
      here.broker,
      'q',
      ['a', 'b'].map((id) => item(id, { id, text: 'ü\n"' })),
      { reason: 'timeout' },
    );
    const there = await openLetters();

    const lines = await linesOf(here.letters.export('q'));
    const report = await there.letters.import('q', lines, { actor: 'ada' });

    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
      { format: 1, queue: 'q', taskId: 'a', name: 'job', reason: 'timeout' },
      { taskId: 'b' },
    ]);
    expect(report).toMatchObject({ imported: 2, duplicates: 0, failed: 0 });
    const [before, after] = await Promise.all(
      [here, there].map(async ({ letters }) => (await letters.list('q')).letters),
    );
    expect(after?.map((letter) => ({ ...letter, entryId: '', at: 0 }))).toEqual(
      before?.map((letter) => ({ ...letter, entryId: '', at: 0 })),
    );
    expect(await there.letters.groups('q')).toMatchObject([
      { count: 2, total: 2, errorName: 'Error', message: 'boom' },
    ]);
    expect(await there.broker.tasks.get('q', 'a')).toMatchObject({ state: 'dead', name: 'job' });
    expect((await there.trail.list('q')).records).toMatchObject([
      { action: 'import', actor: 'ada', counts: { imported: 2 } },
    ]);
    await there.letters.redriveMany('q', {}, { ratePerSecond: 1_000 });
    expect(await there.state('q')).toMatchObject({ stream: ['a', 'b'], dead: [] });
  });

  it('keeps the bytes of a payload that is no text, and of one that is no JSON', async () => {
    const here = await openLetters();
    const bodies = [Buffer.from([0x22, 0xff, 0x00, 0x0a, 0x22]), Buffer.from('not { JSON')];
    for (const [i, body] of bodies.entries()) {
      const head = encodeHead({ id: `${i}`, name: 'job', idempotencyKey: '', head: '' });
      await here.redis.xadd(`${here.prefix}:{q}:stream`, '*', 'head', head, 'body', body);
    }
    await here.broker.work.ensure('q');
    await settleAsDead(here.broker, 'q', await here.broker.read('q', 2));
    const there = await openLetters();

    const lines = await linesOf(here.letters.export('q'));
    await there.letters.import('q', lines);

    expect(lines.map((line) => (JSON.parse(line) as { fields: unknown[] }).fields[3])).toEqual(
      bodies.map((body) => ({ base64: body.toString('base64') })),
    );
    const entries = await there.redis.xrangeBuffer(`${there.prefix}:{q}:dead`, '-', '+');
    expect(entries.map(([, fields]) => fields[3])).toEqual(bodies);
  });

  it('is imported once, however often, where it came from too', async () => {
    const { broker, letters } = await openLetters();
    await die(broker, 'q', [item('a'), item('b')]);
    const lines = await linesOf(letters.export('q'));

    expect(await letters.import('q', lines)).toMatchObject({ imported: 0, duplicates: 2 });
    await letters.purge('q', {}, { reason: 'moved', confirm: 'q' });
    expect(await letters.import('q', lines)).toMatchObject({ imported: 2, duplicates: 0 });
    expect(await letters.import('q', lines)).toMatchObject({ imported: 0, duplicates: 2 });
    expect(await letters.count('q')).toBe(2);
  });

  it('takes what matches only, and is read in pieces of any size', async () => {
    const { broker, letters } = await openLetters();
    await die(
      broker,
      'q',
      Array.from({ length: 120 }, (_, i) => item(`${i}`, 'ü'.repeat(50), { name: i % 2 ? 'pay' : 'mail' })),
    );
    const text = Buffer.from((await linesOf(letters.export('q', { task: 'pay' }))).join(''));
    const there = await openLetters();
    async function* pieces() {
      for (let i = 0; i < text.length; i += 777) yield text.subarray(i, i + 777);
    }

    expect(await there.letters.import('q', pieces())).toMatchObject({ imported: 60, failed: 0 });
    expect(
      (await there.letters.list('q', { limit: 60 })).letters.every(
        ({ name, body }) => name === 'pay' && body === JSON.stringify('ü'.repeat(50)),
      ),
    ).toBe(true);
  });

  it('says which lines it could not take, and takes the others', async () => {
    const { broker, letters } = await openLetters();
    await die(broker, 'q', [item('a')]);
    const [good = ''] = await linesOf(letters.export('q'));
    const there = await openLetters();

    const report = await there.letters.import('q', [
      '{"format":2}\n',
      'no JSON\n',
      '\n',
      good,
      '{"format":1,"entryId":"1-1","fields":["x"]}',
    ]);

    expect(report).toMatchObject({ imported: 1, failed: 3, problems: [{ line: 1 }, { line: 2 }, { line: 5 }] });
  });
});

describe('the audit trail', () => {
  it('takes what others write, newest first, a page at a time', async () => {
    const { trail } = await openLetters();
    for (const n of [1, 2, 3])
      await trail.record('q', 'repair', { actor: 'ada', reason: 'r', scope: { n }, counts: { n } });

    const first = await trail.list('q', { limit: 2 });
    const second = await trail.list('q', { limit: 2, cursor: first.cursor });

    expect(first.records.map(({ scope }) => scope)).toEqual([{ n: 3 }, { n: 2 }]);
    expect(second).toMatchObject({
      records: [{ action: 'repair', actor: 'ada', counts: { n: 1 } }],
      cursor: undefined,
    });
  });

  it('is bounded', async () => {
    const { redis, prefix, trail } = await openLetters();
    const pipeline = redis.pipeline();
    for (let i = 0; i < 10_500; i += 1) pipeline.xadd(`${prefix}:{q}:audit`, '*', 'action', 'x');
    await pipeline.exec();

    await trail.record('q', 'repair');

    expect(await redis.xlen(`${prefix}:{q}:audit`)).toBeLessThan(10_200);
    expect((await trail.list('q', { limit: 1 })).records).toMatchObject([
      { action: 'repair', actor: 'unknown', reason: '' },
    ]);
  });
});

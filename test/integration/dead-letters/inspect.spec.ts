import { describe, expect, it } from 'vitest';
import { encodeHead } from '../../../libs/task-streams/src/task/entry-head.js';
import { fingerprintOf, traitsOf } from '../../../libs/task-streams/src/policy/failure-group.js';
import { die, serviceOf, settleAsDead } from '../../support/broker/dead-letters.js';
import { item, openBroker } from '../../support/broker/open-broker.js';
import { deadLetter, settlement } from '../../support/broker/settlements.js';

const card = (number: number) => ({ name: 'CardError', message: `Card ${number} declined` });
const items = (name: string, ...ids: readonly string[]) => ids.map((id) => item(id, {}, { name }));

async function openLetters() {
  const bench = await openBroker();
  const letters = serviceOf(bench.broker);
  const idsOf = async (query: object) => (await letters.list('q', query)).letters.map(({ taskId }) => taskId);
  return { ...bench, letters, idsOf };
}

describe('a list of dead letters', () => {
  it('can be asked for by task, error, reason, group and time, from both ends', async () => {
    const { broker, letters, idsOf } = await openLetters();
    await die(broker, 'q', items('pay', 'a'), { error: card(1) });
    await die(broker, 'q', items('mail', 'b'), { reason: 'timeout' });
    await die(broker, 'q', items('pay', 'c'), { error: card(2) });
    const all = (await letters.list('q')).letters;
    const [, second, third] = all.map(({ at }) => at);

    expect(await idsOf({ task: 'pay' })).toEqual(['a', 'c']);
    expect(await idsOf({ errorName: 'CardError' })).toEqual(['a', 'c']);
    expect(await idsOf({ reason: 'timeout' })).toEqual(['b']);
    expect(await idsOf({ fingerprint: all[0]?.fingerprint })).toEqual(['a', 'c']);
    expect(await idsOf({ from: new Date(second as number), to: second })).toEqual(['b']);
    expect(await idsOf({ from: third, task: 'mail' })).toEqual([]);
    expect(await idsOf({ order: 'newest', limit: 2 })).toEqual(['c', 'b']);
  });

  it('looks at a bounded number of letters for a page, and has a cursor to go on', async () => {
    const { broker, letters } = await openLetters();
    const many = Array.from({ length: 600 }, (_, i) => item(`${i}`, {}, { name: i === 550 ? 'rare' : 'pay' }));
    await die(broker, 'q', many);

    const first = await letters.list('q', { task: 'rare' });
    const second = await letters.list('q', { task: 'rare', cursor: first.cursor });

    expect(first.letters).toEqual([]);
    expect(first.cursor).toBeDefined();
    expect(second).toMatchObject({ letters: [{ taskId: '550' }], cursor: undefined });
  });

  it('leaves nothing out between pages', async () => {
    const { broker, letters } = await openLetters();
    await die(
      broker,
      'q',
      Array.from({ length: 40 }, (_, i) => item(`${i}`, {}, { name: i % 3 === 0 ? 'pay' : 'mail' })),
    );
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await letters.list('q', { task: 'pay', limit: 3, cursor });
      seen.push(...page.letters.map(({ taskId }) => taskId));
      cursor = page.cursor;
    } while (cursor !== undefined);

    expect(seen).toEqual(Array.from({ length: 14 }, (_, i) => `${i * 3}`));
  });

  it('refuses a filter that is none', async () => {
    const { letters } = await openLetters();
    await expect(letters.list('q', { tasks: 'pay' } as object)).rejects.toThrow('did you mean task');
    await expect(letters.list('q', { reason: 'tired' as 'timeout' })).rejects.toThrow("give 'attempts-exhausted' or");
    await expect(letters.list('q', { from: Number.NaN })).rejects.toThrow('give a Date or milliseconds');
  });

  it('shows what is known: history, first and last failure, trace, and bytes that are no text', async () => {
    const { broker, redis, prefix, letters } = await openLetters();
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    const head = encodeHead({
      id: 'a',
      name: 'pay',
      idempotencyKey: '',
      head: JSON.stringify({ headers: { traceparent } }),
    });
    await redis.xadd(`${prefix}:{q}:stream`, '*', 'head', head, 'body', Buffer.from([0x22, 0xff, 0x22]));
    await broker.work.ensure('q');
    await settleAsDead(broker, 'q', await broker.read('q', 1));

    expect((await letters.list('q')).letters[0]).toMatchObject({
      taskId: 'a',
      traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
      bodyBase64: 'Iv8i',
      firstFailedAt: 1,
      lastFailedAt: 1,
      history: [{ attempt: 1, worker: 'w', durationMs: 1, error: { name: 'Error', message: 'boom' } }],
      redriveCount: 0,
      redrives: [],
    });
  });
});

describe('failure groups', () => {
  it('count what differs in numbers only together, and know the newest letter', async () => {
    const { broker, letters } = await openLetters();
    await die(broker, 'q', items('pay', 'a'), { error: card(1) });
    await die(broker, 'q', items('pay', 'b'), { error: card(2) });
    await die(broker, 'q', items('mail', 'c'));
    const [, newest] = (await letters.list('q')).letters;

    const groups = await letters.groups('q');

    expect(groups).toMatchObject([
      {
        task: 'pay',
        errorName: 'CardError',
        message: 'Card <n> declined',
        reason: 'attempts-exhausted',
        count: 2,
        total: 2,
      },
      { task: 'mail', errorName: 'Error', message: 'boom', count: 1, total: 1 },
    ]);
    expect(groups[0]?.sampleEntryId).toBe(newest?.entryId);
    expect(groups[0]?.id).toBe(newest?.fingerprint);
    expect(groups[0]?.firstSeenAt).toBeLessThanOrEqual(groups[0]?.lastSeenAt as number);
  });

  it('forget letters that were redriven or discarded, and remember that they were there', async () => {
    const { broker, letters } = await openLetters();
    await die(broker, 'q', items('pay', 'a', 'b'));
    const [a, b] = (await letters.list('q')).letters;

    await letters.redrive('q', a?.entryId ?? '');
    expect(await letters.groups('q')).toMatchObject([{ count: 1, total: 2, sampleEntryId: b?.entryId }]);
    await letters.discard('q', b?.entryId ?? '', { reason: 'known' });

    expect(await letters.groups('q')).toEqual([]);
    expect(await letters.groups('q', { includeEmpty: true })).toMatchObject([
      { count: 0, total: 2, sampleEntryId: undefined },
    ]);
    expect(await letters.totals('q')).toEqual({ added: 2, imported: 0, redriven: 1, discarded: 1, dropped: 0 });
  });

  it('are bounded: others are counted together, and an empty group makes place', async () => {
    const { broker, redis, prefix, letters } = await openLetters();
    const full = Array.from({ length: 1_000 }, (_, i) => [`g${i}`, '1 1 5 5 -\n{}']).flat();
    await redis.hset(`${prefix}:{q}:dead:groups`, ...full);
    await die(broker, 'q', items('pay', 'a'));

    const [a] = (await letters.list('q')).letters;
    expect(a).toMatchObject({ group: 'other' });
    expect((await letters.groups('q')).find(({ id }) => id === 'other')).toMatchObject({ count: 1, total: 1 });

    await redis.hset(`${prefix}:{q}:dead:groups`, 'g7', '0 1 5 5 -\n{}');
    await redis.hdel(`${prefix}:{q}:dead:groups`, 'g8');
    await redis.zadd(`${prefix}:{q}:dead:empty`, 5, 'g7');
    await die(broker, 'q', items('pay', 'b'));
    const groups = await letters.groups('q', { includeEmpty: true });
    expect(groups.length).toBe(1_000);
    expect(groups.some(({ id }) => id === 'g7')).toBe(false);
    await letters.redrive('q', a?.entryId ?? '');
    expect((await letters.groups('q', { includeEmpty: true })).find(({ id }) => id === 'other')).toMatchObject({
      count: 0,
    });
  });

  it('have one for payloads that were deleted, made by the script as it would be made here', async () => {
    const { broker, redis, prefix, letters } = await openLetters();
    await broker.inbox.append('q', [item('a', {}, { name: 'pay', delayMs: 1 })], 'memory');
    await redis.del(`${prefix}:{q}:d:a`);
    await expect.poll(async () => [await broker.work.look('q'), await letters.count('q')][1]).toBe(1);

    const [letter] = (await letters.list('q')).letters;
    expect(letter).toMatchObject({ reason: 'payload-deleted', name: 'pay' });
    expect(letter?.fingerprint).toBe(fingerprintOf(traitsOf('pay', letter?.error)));
    expect(await letters.groups('q')).toMatchObject([
      { id: letter?.fingerprint, task: 'pay', reason: 'payload-deleted' },
    ]);
  });

  it('never keep a letter from being kept, once, whatever somebody wrote over their keys', async () => {
    const { broker, redis, prefix, letters } = await openLetters();
    for (const key of ['dead:groups', 'dead:empty', 'dead:counts']) await redis.set(`${prefix}:{q}:${key}`, 'mine');

    await die(broker, 'q', items('pay', 'a', 'b'));

    expect(await letters.count('q')).toBe(2);
    expect(await broker.tasks.get('q', 'a')).toMatchObject({ state: 'dead' });
  });
});

describe('retention', () => {
  it('drops the oldest ones exactly, counts them, and takes them out of their groups', async () => {
    const { broker, letters } = await openLetters();
    await die(broker, 'q', items('pay', 'a', 'b', 'c'));
    await die(broker, 'q', items('mail', 'd'), { retention: { deadLetterMaxCount: 2 } });

    expect((await letters.list('q')).letters.map(({ taskId }) => taskId)).toEqual(['c', 'd']);
    expect(await letters.totals('q')).toMatchObject({ added: 4, dropped: 2 });
    expect(await letters.groups('q')).toMatchObject([{ count: 1 }, { count: 1 }]);
  });

  it('drops by age where nothing dies any more', async () => {
    const { broker, another, letters } = await openLetters();
    await die(
      broker,
      'q',
      Array.from({ length: 30 }, (_, i) => item(`${i}`)),
    );
    const strict = another({ retention: { deadLettersMs: 1 } });
    await expect.poll(() => strict.deadLetters.trim('q', 20)).toBe(20);

    expect(await letters.count('q')).toBe(10);
    expect(await strict.deadLetters.trim('q', 20)).toBe(10);
    expect(await strict.deadLetters.trim('q', 20)).toBe(0);
    expect(await letters.totals('q')).toMatchObject({ added: 30, dropped: 30 });
    expect(await letters.groups('q')).toEqual([]);
  });

  it('tells of what a settlement dropped', async () => {
    const { broker } = await openLetters();
    await die(broker, 'q', items('pay', 'a', 'b', 'c'));
    await broker.inbox.append('q', items('pay', 'd'), 'memory');
    const last = (await broker.read('q', 1)).map((one) =>
      settlement(one, deadLetter('timeout'), { retention: { deadLetterMaxCount: 1 } }),
    );

    expect(await broker.work.turn('q', last, 0)).toMatchObject({ droppedCount: 3 });
  });
});

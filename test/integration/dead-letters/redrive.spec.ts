import { describe, expect, it } from 'vitest';
import type { DeadLetterService } from '../../../libs/task-streams/src/dead-letters/dead-letter.service.js';
import type { TestBroker } from '../../support/broker/test-broker.js';
import { batchOf, die, serviceOf, settleAsDead } from '../../support/broker/dead-letters.js';
import { deliver, item, openBroker } from '../../support/broker/open-broker.js';
import { completion, deadLetter, settlement } from '../../support/broker/settlements.js';
import { FRESH_META } from '../../../libs/task-streams/src/task/task-meta.js';

const fast = { ratePerSecond: 100_000 };

async function openLetters() {
  const bench = await openBroker();
  return {
    ...bench,
    letters: serviceOf(bench.broker),
    audit: () => bench.broker.queues.listActions('q', 10, undefined),
  };
}

async function entryIds(letters: DeadLetterService): Promise<string[]> {
  return (await letters.list('q', { limit: 1_000 })).letters.map(({ entryId = '' }) => entryId);
}

async function firstId(letters: DeadLetterService): Promise<string> {
  return (await entryIds(letters))[0] ?? '';
}

async function dieAgain(broker: TestBroker): Promise<void> {
  await settleAsDead(broker, 'q', await broker.read('q', 100));
}

describe('one dead letter', () => {
  it('goes back mended by a merge patch or a function, and remembers what it was', async () => {
    const { broker, letters } = await openLetters();
    await die(broker, 'q', [item('a', { n: 'bad', keep: 1 })]);
    const first = await firstId(letters);
    await letters.redrive('q', first, { patch: { n: 1, keep: null }, actor: 'ada' });
    await dieAgain(broker);
    await letters.redrive('q', await firstId(letters), {
      patch: (payload) => ({ ...(payload as object), more: true }),
      actor: 'bob',
    });
    await dieAgain(broker);

    expect((await letters.list('q')).letters).toMatchObject([
      {
        body: '{"more":true,"n":1}',
        redriveCount: 2,
        redrives: [
          { actor: 'ada', entryId: first, isEdited: true, originalBody: '{"n":"bad","keep":1}', error: 'Error: boom' },
          { actor: 'bob', isEdited: true, originalBody: '{"n":1}' },
        ],
      },
    ]);
  });

  it('stays where its mended payload cannot be sent, or the patch throws', async () => {
    const { broker, letters } = await openLetters();
    await die(broker, 'q', [item('a')]);
    const id = await firstId(letters);

    await expect(letters.redrive('q', id, { patch: () => undefined })).rejects.toThrow('nothing to write');
    await expect(
      letters.redrive('q', id, {
        patch: () => {
          throw new RangeError('no such field');
        },
      }),
    ).rejects.toThrow('no such field');
    expect(await letters.count('q')).toBe(1);
  });

  it('is refused when it came back too often, unless it is forced', async () => {
    const { broker, letters } = await openLetters();
    await die(broker, 'q', [item('a')]);
    for (let i = 0; i < 2; i += 1) {
      await letters.redrive('q', await firstId(letters), { maxRedrives: 2 });
      await dieAgain(broker);
    }
    const id = await firstId(letters);

    await expect(letters.redrive('q', id, { maxRedrives: 2 })).rejects.toMatchObject({
      code: 'TASK_STREAMS_REDRIVE_REFUSED',
      reason: 'max-redrives',
    });
    await letters.redrive('q', id, { maxRedrives: 2, force: true });
    await dieAgain(broker);
    expect((await letters.list('q')).letters).toMatchObject([{ redriveCount: 3 }]);
  });

  it('is refused when its key is done, of the sender or of the handler, unless it is forced: then it runs', async () => {
    const { broker, redis, prefix, letters } = await openLetters();
    await die(broker, 'q', [item('a', {}, { idempotencyKey: 'k' })]);
    await redis.set(`${prefix}:{q}:k:job/k`, 'D - other\n"done"');
    const id = await firstId(letters);

    await expect(letters.redrive('q', id)).rejects.toMatchObject({ reason: 'succeeded' });
    expect(await letters.previewRedrive('q', {})).toMatchObject({ movable: 0, refusals: { succeeded: 1 } });
    await letters.redrive('q', id, { force: true });

    expect((await broker.read('q', 1))[0]).toMatchObject({ taskId: 'a', keyClaim: { kind: 'won' } });

    const [computed] = await deliver(broker, 'q', item('b'));
    const dead = { ...settlement(computed as never, completion()), keyScope: 'job/computed' };
    await broker.settle('q', [{ ...dead, outcome: deadLetter('timeout') }]);
    await redis.set(`${prefix}:{q}:k:job/computed`, 'D - other\n');
    await expect(letters.redrive('q', await firstId(letters))).rejects.toMatchObject({ reason: 'succeeded' });
  });

  it('frees a lock the dead task left behind, and no other', async () => {
    const { broker, redis, prefix, letters } = await openLetters();
    await die(broker, 'q', [item('a', {}, { idempotencyKey: 'k' }), item('b', {}, { idempotencyKey: 'l' })]);
    const [a, b] = (await letters.list('q')).letters;
    await redis.set(`${prefix}:{q}:k:job/k`, `L ${a?.sourceEntryId} t -`);
    await redis.set(`${prefix}:{q}:k:job/l`, 'L 1-1 t -');

    await letters.redriveMany('q', [a?.entryId ?? '', b?.entryId ?? ''], fast);

    expect(await redis.exists(`${prefix}:{q}:k:job/k`)).toBe(0);
    expect(await redis.get(`${prefix}:{q}:k:job/l`)).toBe('L 1-1 t -');
  });

  it('is refused while its task is in the queue under the same id, forced or not', async () => {
    const { broker, redis, prefix, letters } = await openLetters();
    await die(broker, 'q', [item('a')]);
    await redis.del(`${prefix}:{q}:t:a`);
    await broker.inbox.append('q', [item('a')], 'memory');

    await expect(letters.redrive('q', await firstId(letters), { force: true })).rejects.toMatchObject({
      reason: 'live',
    });
    expect(await letters.count('q')).toBe(1);
  });

  it('is refused when its task has succeeded since', async () => {
    const { broker, redis, prefix, letters } = await openLetters();
    await die(broker, 'q', [item('a')]);
    await redis.del(`${prefix}:{q}:t:a`);
    const again = await deliver(broker, 'q', item('a'));
    await broker.settle(
      'q',
      again.map((one) => settlement(one, completion())),
    );

    await expect(letters.redrive('q', await firstId(letters))).rejects.toMatchObject({ reason: 'succeeded' });
  });

  it('believes no sender who wrote fields of a dead letter into the task', async () => {
    const { broker, redis, prefix, letters } = await openLetters();
    await die(broker, 'q', [item('victim')]);
    const [{ group = '' } = {}] = (await letters.list('q')).letters;
    const forged = { 'dead.key': 'job/theirs', 'dead.group': group, 'dead.source': '1-1', 'dead.reason': 'timeout' };
    await redis.xadd(
      `${prefix}:{q}:stream`,
      '*',
      'head',
      '2\na\njob\n\n',
      'body',
      '{}',
      ...Object.entries(forged).flat(),
    );
    await redis.set(`${prefix}:{q}:k:job/theirs`, 'D - other\n');
    await settleAsDead(broker, 'q', await broker.read('q', 1), { error: { name: 'Other', message: 'other' } });
    const [, letter] = (await letters.list('q')).letters;

    expect(letter).toMatchObject({ taskId: 'a', reason: 'attempts-exhausted', group: letter?.fingerprint });
    await letters.redrive('q', letter?.entryId ?? '', { force: true });
    expect(await redis.exists(`${prefix}:{q}:k:job/theirs`)).toBe(1);
    expect(await letters.groups('q')).toMatchObject([{ id: group, count: 1 }]);
  });

  it('that is no task can be read and discarded, not redriven', async () => {
    const { broker, redis, prefix, letters } = await openLetters();
    await redis.xadd(`${prefix}:{q}:stream`, '*', 'x', 'y');
    await broker.work.ensure('q');
    await dieAgain(broker);
    const id = await firstId(letters);

    await expect(letters.redrive('q', id)).rejects.toMatchObject({ code: 'TASK_STREAMS_DEAD_LETTER_UNREADABLE' });
    await letters.discard('q', id, { reason: 'noise' });
    await expect(letters.discard('q', id, { reason: 'noise' })).rejects.toMatchObject({
      code: 'TASK_STREAMS_DEAD_LETTER_NOT_FOUND',
    });
  });
});

describe('a redrive of many', () => {
  it('moves the group that was asked for, oldest first, and counts what it did', async () => {
    const { broker, letters, state, audit } = await openLetters();
    await die(broker, 'q', [item('x', {}, { name: 'mail' })]);
    await die(
      broker,
      'q',
      Array.from({ length: 25 }, (_, i) => item(`${i}`)),
    );
    const [group] = await letters.groups('q');

    const report = await letters.redriveMany(
      'q',
      { fingerprint: group?.id },
      { ...fast, actor: 'ada', reason: 'fixed' },
    );

    expect(report).toMatchObject({ matched: 25, done: 25, refused: 0, failed: 0, problems: [], cursor: undefined });
    expect(await state('q')).toMatchObject({ stream: Array.from({ length: 25 }, (_, i) => `${i}`), dead: ['x'] });
    expect((await audit()).records).toMatchObject([
      {
        action: 'redrive',
        actor: 'ada',
        reason: 'fixed',
        scope: { fingerprint: group?.id },
        operation: report.operation,
        counts: { moved: 25 },
      },
    ]);
  });

  it('goes on where one cannot go back, and says which and why', async () => {
    const { broker, redis, prefix, letters, audit } = await openLetters();
    await die(
      broker,
      'q',
      ['a', 'b', 'c', 'd'].map((id) => item(id, { id })),
    );
    const ids = await entryIds(letters);
    await redis.del(`${prefix}:{q}:t:b`);
    await redis.lpush(`${prefix}:{q}:t:b`, 'not a record');
    const patch = (payload: unknown) => {
      if ((payload as { id: string }).id === 'c') throw new Error('cannot mend c');
      return payload;
    };

    const report = await letters.redriveMany('q', [...ids, '1-1'], { ...fast, patch });

    expect(report).toMatchObject({ matched: 5, done: 2, refused: 1, failed: 2, refusals: { gone: 1 } });
    expect(report.problems.map(({ taskId, reason }) => [taskId, reason])).toEqual([
      ['', 'gone'],
      ['c', 'failed'],
      ['b', 'failed'],
    ]);
    expect((await audit()).records[0]?.counts).toEqual({ moved: 2, error: 2, gone: 1 });
  });

  it('ends although what it moves dies again', async () => {
    const { broker, letters } = await openLetters();
    await die(
      broker,
      'q',
      Array.from({ length: 20 }, (_, i) => item(`${i}`)),
    );
    const steps = letters.redriveInSteps('q', {}, { ratePerSecond: 100 });
    let step = await steps.next();
    while (!step.done) {
      await dieAgain(broker);
      step = await steps.next();
    }

    expect(step.value).toMatchObject({ done: 20, cursor: undefined });
    expect((await letters.list('q')).letters.map(({ redriveCount }) => redriveCount)).toEqual(
      Array.from({ length: 20 }, () => 1),
    );
  });

  it('keeps its rate within a tenth, stops when it is told to, and goes on from there', async () => {
    const { broker, letters } = await openLetters();
    await die(
      broker,
      'q',
      Array.from({ length: 600 }, (_, i) => item(`${i}`)),
    );
    const stop = new AbortController();
    const startedAt = performance.now();
    const first = await letters.redriveMany(
      'q',
      {},
      {
        ratePerSecond: 400,
        signal: stop.signal,
        onProgress: ({ done }) => {
          if (done >= 400) stop.abort();
        },
      },
    );
    const tookMs = performance.now() - startedAt;

    expect(first.done).toBeGreaterThanOrEqual(400);
    expect(first.done).toBeLessThanOrEqual(440);
    expect(first).toMatchObject({ matched: first.done, refused: 0, failed: 0, cursor: expect.any(String) });
    // The last batch goes a tenth of a second before its share of the time is over.
    expect(tookMs).toBeGreaterThan((first.done - 40) * 2.5 * 0.9);
    expect(await letters.count('q')).toBe(600 - first.done);
    await dieAgain(broker);

    const second = await letters.redriveMany('q', {}, { ...fast, cursor: first.cursor });
    expect(second).toMatchObject({ done: 600 - first.done, cursor: undefined });
    // What died since the first one began is not part of it.
    expect(await letters.count('q')).toBe(100);
  });

  it('does nothing twice when the reply to a batch is lost', async () => {
    const { broker, letters, state } = await openLetters();
    await die(
      broker,
      'q',
      ['a', 'b'].map((id) => item(id)),
    );
    const batch = batchOf(
      ...(await entryIds(letters)).map((entryId) => ({ entryId, meta: FRESH_META, body: undefined })),
    );

    const first = await broker.deadLetters.redrive('q', batch, false);
    const again = await broker.deadLetters.redrive('q', batch, false);

    expect(again).toEqual(first);
    expect(first.replies.map(({ kind }) => kind)).toEqual(['moved', 'moved']);
    expect((await state('q')).stream).toEqual(['a', 'b']);
    expect((await broker.queues.listActions('q', 10, undefined)).records).toMatchObject([{ counts: { moved: 2 } }]);
  });

  it('can be tried first, without a trace', async () => {
    const { broker, redis, prefix, letters, state, audit } = await openLetters();
    await die(broker, 'q', [item('a'), item('b', {}, { name: 'mail', idempotencyKey: 'k' })]);
    await redis.set(`${prefix}:{q}:k:mail/k`, 'D - other\n');
    const before = await state('q');

    const preview = await letters.previewRedrive('q', {}, { patch: { n: 1 } });

    expect(preview).toMatchObject({
      matched: 2,
      movable: 1,
      refusals: { succeeded: 1 },
      byTask: { job: 1, mail: 1 },
      byReason: { 'attempts-exhausted': 2 },
      byGroup: [{ count: 1 }, { count: 1 }],
      samples: [{ taskId: 'a' }, { taskId: 'b' }],
      isComplete: true,
    });
    expect(await state('q')).toEqual(before);
    expect((await audit()).records).toEqual([]);
  });

  it('refuses options that cannot work, before it begins', async () => {
    const { letters } = await openLetters();
    await expect(letters.redriveMany('q', {}, { ratePerSecond: 0 })).rejects.toThrow('give a number from 0.1');
    await expect(letters.redriveMany('q', {}, { cursor: '17-0' })).rejects.toThrow('cursor of an earlier report');
    await expect(letters.redriveMany('q', ['x'])).rejects.toThrow('must be the id of an entry');
    await expect(letters.redriveMany('q', {}, { maxRedrives: -1 })).rejects.toThrow('maxRedrives');
    expect(() => letters.redriveInSteps('q', {}, { actor: '' })).toThrow('actor');
  });
});

describe('a purge', () => {
  it('needs the name of the queue and a reason, and deletes what was asked for', async () => {
    const { broker, letters, audit, state } = await openLetters();
    await die(broker, 'q', [item('a'), item('b', {}, { name: 'mail' })]);

    await expect(letters.purge('q', {}, { reason: 'old', confirm: 'yes' })).rejects.toThrow("confirm: 'q'");
    await expect(letters.purge('q', {}, { reason: ' ', confirm: 'q' })).rejects.toThrow('reason');
    const report = await letters.purge('q', { task: 'mail' }, { reason: 'old', confirm: 'q', actor: 'ada' });

    expect(report).toMatchObject({ matched: 1, done: 1 });
    expect(await state('q')).toMatchObject({ dead: ['a'], stream: [] });
    expect((await audit()).records).toMatchObject([
      { action: 'purge', actor: 'ada', reason: 'old', scope: { task: 'mail' }, counts: { discarded: 1 } },
    ]);
    expect(await broker.tasks.get('q', 'b')).toMatchObject({ state: 'dead' });
  });
});

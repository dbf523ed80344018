import { describe, expect, it } from 'vitest';
import type { DeadLetterSelection } from '../../../libs/task-streams/src/dead-letters/dead-letter-query.js';
import type { RedriveRules } from '../../../libs/task-streams/src/dead-letters/plan-redrive.js';
import type { RedrivePreview } from '../../../libs/task-streams/src/dead-letters/preview-counts.js';
import type { DeadLetterReason } from '../../../libs/task-streams/src/task/dead-letter.js';
import { die, serviceOf, settleAsDead } from '../../support/broker/dead-letters.js';
import { item, openBroker } from '../../support/broker/open-broker.js';

const inOrder = ({ problems, ...rest }: RedrivePreview) => ({
  ...rest,
  problems: problems.toSorted((a, b) => a.entryId.localeCompare(b.entryId)),
});

const fast = { ratePerSecond: 100_000 };

/** Letters of three tasks: some that can go back, and one of each kind that cannot. */
async function openMixed() {
  const bench = await openBroker();
  const { broker, redis, prefix } = bench;
  const letters = serviceOf(broker);
  const ids = Array.from({ length: 30 }, (_, i) => `${i}`);
  await die(broker, 'q', [item('often')]);
  for (let i = 0; i < 3; i += 1) {
    await letters.redriveMany('q', {}, { ...fast, maxRedrives: 9 });
    await settleAsDead(broker, 'q', await broker.read('q', 1));
  }
  const items = ids.map((id) => item(id, {}, { name: ['pay', 'mail'][Number(id) % 2] as string }));
  await die(broker, 'q', items.slice(0, 20), { error: { name: 'CardError', message: 'declined\nby the bank' } });
  await die(broker, 'q', items.slice(20), { reason: 'timeout', error: { name: 'Time\nOut', message: 'late' } });
  await die(broker, 'q', [item('done', {}, { idempotencyKey: 'k' }), item('live')]);
  await redis.set(`${prefix}:{q}:k:job/k`, 'D - other\n');
  await redis.del(`${prefix}:{q}:t:live`);
  await broker.inbox.append('q', [item('live')], 'memory');
  await redis.xadd(`${prefix}:{q}:dead`, '*', 'x', 'y');
  return { ...bench, letters };
}

describe('a preview without a patch', () => {
  it('answers what one says that reads every letter, for each filter and rule', async () => {
    const { letters } = await openMixed();
    const [first] = (await letters.list('q', { task: 'mail' })).letters;
    const selections: DeadLetterSelection[] = [
      {},
      { task: 'mail' },
      { errorName: 'CardError' },
      { reason: 'timeout' },
      { fingerprint: first?.fingerprint },
      { from: first?.at, to: first?.at },
      { to: 1 },
      { task: 'none' },
    ];
    const rules: RedriveRules[] = [{}, { maxRedrives: 2 }, { maxRedrives: 2, force: true }];

    for (const selection of selections) {
      for (const rule of rules) {
        const whole = await letters.previewRedrive('q', selection, { ...rule, patch: (payload) => payload });
        expect(inOrder(await letters.previewRedrive('q', selection, rule))).toEqual(inOrder(whole));
      }
    }
    expect(await letters.previewRedrive('q', {}, { maxRedrives: 2 })).toMatchObject({
      matched: 34,
      movable: 30,
      refusals: { unreadable: 1, 'max-redrives': 1, live: 1, succeeded: 1 },
    });
  });

  it('shows, filters and counts a reason of a newer release as unknown', async () => {
    const { broker } = await openBroker();
    const letters = serviceOf(broker);
    await die(broker, 'q', [item('newer')], { reason: 'rate-limited' as never });
    await die(broker, 'q', [item('asked')], { reason: 'requested' });
    const ids = async (reason: DeadLetterReason): Promise<string[]> =>
      (await letters.list('q', { reason })).letters.map(({ taskId }) => taskId);
    expect(await ids('unknown')).toEqual(['newer']);
    expect(await ids('requested')).toEqual(['asked']);
    const byReason = { unknown: 1, requested: 1 };
    expect(await letters.previewRedrive('q', {})).toMatchObject({ byReason });
    expect(await letters.previewRedrive('q', {}, { patch: (payload) => payload })).toMatchObject({ byReason });
    expect(await letters.previewRedrive('q', { reason: 'requested' })).toMatchObject({ matched: 1 });
  });

  it('counts a letter whose record cannot be read as failed, and says why', async () => {
    const { broker, redis, prefix } = await openBroker();
    await die(broker, 'q', [item('a'), item('b')]);
    await redis.del(`${prefix}:{q}:t:a`);
    await redis.lpush(`${prefix}:{q}:t:a`, 'x');

    expect(await serviceOf(broker).previewRedrive('q', {})).toMatchObject({
      movable: 1,
      failed: 1,
      problems: [{ taskId: 'a', reason: 'failed', detail: expect.stringContaining('WRONGTYPE') as string }],
    });
  });

  it('tells how far it is, and stops where it is told to', async () => {
    const { broker } = await openBroker();
    const letters = serviceOf(broker);
    for (let i = 0; i < 6; i += 1) {
      await die(
        broker,
        'q',
        Array.from({ length: 100 }, (_, n) => item(`${i}-${n}`)),
      );
    }
    const stop = new AbortController();
    const told: number[] = [];

    const onProgress = ({ lookedAt }: { readonly lookedAt: number }) => {
      told.push(lookedAt);
      if (told.length === 2) stop.abort();
    };
    const preview = await letters.previewRedrive('q', {}, { signal: stop.signal, onProgress });

    expect(preview).toMatchObject({ isComplete: false, matched: told[1] });
    expect(told).toEqual([100, 200]);
    expect(await letters.previewRedrive('q', {})).toMatchObject({ isComplete: true, matched: 600, movable: 600 });
  });
});

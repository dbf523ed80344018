import { crashStandingOf } from '../../../libs/task-streams/src/policy/crash-limit.js';
import { describe, expect, it, onTestFinished } from 'vitest';

import type { Delivery } from '../../../libs/task-streams/src/contracts/work-store.interface.js';
import { deliver, item, openBroker, takeOver } from '../../support/broker/open-broker.js';
import { startTestRedis } from '../../support/redis-server.js';
import { completion, settlement } from '../../support/broker/settlements.js';

const one = (deliveries: readonly Delivery[]) => deliveries[0] as Delivery;

describe('owning tasks', () => {
  it('hands a task that waited before the first worker to that worker', async () => {
    const { broker } = await openBroker();
    await broker.inbox.append('q', [item('a')], 'memory');

    await broker.work.ensure('q');
    await broker.work.ensure('q');

    expect(await broker.read('q', 10)).toMatchObject([{ taskId: 'a', deliveryCount: 1, name: 'job' }]);
  });

  it('can be begun by a worker that starts when Redis is full', async () => {
    const server = await startTestRedis({ extraArgs: ['--maxmemory', '20mb', '--maxmemory-policy', 'noeviction'] });
    onTestFinished(() => server.stop());
    const { broker, another, redis } = await openBroker({}, server.url);
    await broker.inbox.append('q', [item('a')], 'memory');
    await redis.config('SET', 'maxmemory', '1');
    const worker = another();

    await worker.work.ensure('q');
    const [delivery] = await worker.read('q', 1);

    expect(await worker.settle('q', [settlement(delivery as Delivery, completion())])).toEqual([{ kind: 'done' }]);
  });

  it('hands each task to one worker, and no more than asked for', async () => {
    const { broker, another } = await openBroker();
    const other = another();
    await broker.inbox.append(
      'q',
      Array.from({ length: 10 }, (_, i) => item(`${i}`)),
      'memory',
    );
    await broker.work.ensure('q');

    const both = await Promise.all([broker.read('q', 4), other.read('q', 4)]);

    expect(both.map((some) => some.length)).toEqual([4, 4]);
    expect(new Set(both.flat().map((delivery) => delivery.taskId)).size).toBe(8);
  });

  it('keeps the owners of many tasks in a table, with nothing else in it', async () => {
    const { broker, redis, prefix } = await openBroker();
    const owners = `${prefix}:{q}:owners`;
    const deliveries = await deliver(broker, 'q', ...Array.from({ length: 20 }, (_, i) => item(`t${i}`)));

    expect(await redis.object('ENCODING', owners)).toBe('hashtable');
    expect(await redis.hgetall(owners)).toEqual(
      Object.fromEntries(deliveries.map(({ entryId, token, taskId }) => [entryId, `${token} ${taskId}`])),
    );
  });

  it('waits for a task and claims it, and answers nothing when none comes', async () => {
    const { broker, another } = await openBroker();
    await broker.work.ensure('q');
    expect(await broker.work.wait('q')).toMatchObject({ deliveries: [], blocked: [] });

    const waiting = broker.work.wait('q');
    await another().inbox.append('q', [item('a')], 'memory');

    const delivery = one((await waiting).deliveries);
    expect(await broker.settle('q', [settlement(delivery, completion())])).toEqual([{ kind: 'done' }]);
  });

  it('ends a wait from outside without losing the connection', async () => {
    const server = await startTestRedis();
    onTestFinished(() => server.stop());
    const { broker, redis } = await openBroker({ timing: { blockMs: 60_000 } }, server.url);
    await broker.work.ensure('q');
    const waiting = broker.work.wait('q');
    await expect.poll(() => blockedReaders(redis)).toBeGreaterThan(0);

    await broker.work.interrupt('q');

    expect((await waiting).deliveries).toEqual([]);
  });

  it('ends a wait that has not reached the server yet', async () => {
    const { broker } = await openBroker({ timing: { blockMs: 60_000 } });
    await broker.work.ensure('q');
    const waiting = broker.work.wait('q');

    await broker.work.interrupt('q');

    expect((await waiting).deliveries).toEqual([]);
  });

  it('keeps a task from being taken over while its lease is renewed', async () => {
    const { broker, another } = await openBroker({ leaseMs: 1_000 });
    const delivery = one(await deliver(broker, 'q', item('a')));
    const other = another();
    const until = Date.now() + 1_500;

    while (Date.now() < until) {
      expect(await broker.work.renew('q', [{ owner: delivery, keyScope: undefined }])).toEqual([true]);
      expect((await other.work.reclaim('q', 10, '0-0')).deliveries).toEqual([]);
    }

    expect(one(await takeOver(other, 'q'))).toMatchObject({ taskId: 'a', deliveryCount: 2 });
    expect(await broker.work.renew('q', [{ owner: delivery, keyScope: undefined }])).toEqual([false]);
  });

  it('takes nothing over after a time in which nobody could renew, until everybody had the time to', async () => {
    const { broker, another } = await openBroker({ leaseMs: 600 });
    const delivery = one(await deliver(broker, 'q', item('a')));
    await broker.work.renew('q', [{ owner: delivery, keyScope: undefined }]);
    const renewedAt = Date.now();
    const other = another();
    await expect.poll(() => Date.now() - renewedAt, { interval: 20 }).toBeGreaterThan(700);

    const { deliveries, graceMs } = await other.work.reclaim('q', 10, '0-0');
    expect(deliveries).toEqual([]);
    expect(graceMs).toBeGreaterThan(300);
    expect(await broker.work.renew('q', [{ owner: delivery, keyScope: undefined }])).toEqual([true]);
  });

  it('takes what was released at once, also where expired leases prove nothing yet', async () => {
    const { broker, another } = await openBroker({ leaseMs: 60_000 });
    const delivery = one(await deliver(broker, 'q', item('a')));
    await broker.settle('q', [settlement(delivery, { kind: 'release' })]);

    const { deliveries, previousOwners } = await another().work.reclaim('q', 10, '0-0');

    expect(deliveries).toMatchObject([{ taskId: 'a', deliveryCount: 1 }]);
    expect(previousOwners).toEqual(['']);
  });

  it('counts the last permitted delivery of a task when it starts, for its owner only', async () => {
    const { broker, another, state } = await openBroker({ leaseMs: 200, crashLimit: 2 });
    await deliver(broker, 'q', item('a'));
    const second = another();
    const suspect = one(await takeOver(second, 'q'));
    expect(suspect.deliveryCount).toBe(2);
    expect((await state('q')).pending).toEqual([`${suspect.entryId} x1`]);

    const third = another();
    const again = one(await takeOver(third, 'q'));
    expect(again.deliveryCount).toBe(2);
    expect(await second.work.begin(suspect, 'shared')).toBe(false);
    expect(await third.work.begin(again, 'blamed')).toBe(true);
    expect((await state('q')).pending).toEqual([`${suspect.entryId} x2000002`]);

    expect(one(await takeOver(second, 'q'))).toMatchObject({ deliveryCount: 3, trial: 'blamed' });
    // Given up, and found again where its worker died before it could settle that.
    expect(one(await takeOver(third, 'q'))).toMatchObject({ deliveryCount: 3, trial: 'blamed' });
  });

  it('does not hold a crash against a suspect that was begun beside others', async () => {
    const { broker, another } = await openBroker({ leaseMs: 200, crashLimit: 2 });
    await deliver(broker, 'q', item('a'));
    const second = another();
    const suspect = one(await takeOver(second, 'q'));
    expect(await second.work.begin(suspect, 'shared')).toBe(true);

    const third = another();
    const again = one(await takeOver(third, 'q'));
    expect(crashStandingOf(again, 2)).toBe('last-chance');
    // Held, it loses nothing.
    const held = one(await takeOver(second, 'q'));
    expect(held.deliveryCount).toBe(again.deliveryCount);
    expect(await second.work.begin(held, 'blamed')).toBe(true);

    expect(crashStandingOf(one(await takeOver(third, 'q')), 2)).toBe('given-up');
  });

  it('tries a task that workers with a higher crash limit delivered often, before it can be given up', async () => {
    const { broker, another } = await openBroker({ leaseMs: 200, crashLimit: 10 });
    await deliver(broker, 'q', item('a'));
    for (let i = 0; i < 5; i += 1) await takeOver(another(), 'q');

    const strict = another({ leaseMs: 200, crashLimit: 2 });
    const suspect = one(await takeOver(strict, 'q'));
    expect(suspect.deliveryCount).toBe(7);
    expect(crashStandingOf(suspect, 2)).toBe('suspect');
    expect(await strict.work.begin(suspect, 'blamed')).toBe(true);
    expect(crashStandingOf(one(await takeOver(another(), 'q')), 10)).toBe('given-up');
  });

  it('forgets no trial of a task that is released', async () => {
    const { broker, another } = await openBroker({ leaseMs: 200, crashLimit: 2 });
    await deliver(broker, 'q', item('a'));
    const second = another();
    await second.work.begin(one(await takeOver(second, 'q')), 'shared');
    const third = another();
    const again = one(await takeOver(third, 'q'));
    await third.settle('q', [settlement(again, { kind: 'release' })]);

    expect(one(await takeOver(second, 'q'))).toMatchObject({ deliveryCount: 3, trial: 'shared' });
  });

  it('holds nothing against a suspect that its own process gets once more: that process lives', async () => {
    const { broker, another } = await openBroker({ leaseMs: 200, crashLimit: 2 });
    await deliver(broker, 'q', item('a'));
    const second = another();
    await second.work.begin(one(await takeOver(second, 'q')), 'blamed');

    const unseen = await second.work.recover('q', new Set(), 10);
    expect(one(unseen.deliveries)).toMatchObject({ deliveryCount: 2, trial: 'shared' });
    await second.work.begin(one(unseen.deliveries), 'blamed');
    expect(one(await takeOver(second, 'q'))).toMatchObject({ trial: 'shared' });
    expect(one(await takeOver(another(), 'q'))).toMatchObject({ trial: 'blamed' });
  });

  it('gives up a task with a crash limit of one, also after it was handed back once', async () => {
    const { broker, another } = await openBroker({ leaseMs: 200, crashLimit: 1 });
    const delivery = one(await deliver(broker, 'q', item('a')));
    await broker.settle('q', [settlement(delivery, { kind: 'release' })]);
    const second = another();
    expect(one(await takeOver(second, 'q')).deliveryCount).toBe(1);

    expect(one(await takeOver(another(), 'q')).deliveryCount).toBe(2);
  });

  it('counts no hand-out where a sweep finds the task of its own worker', async () => {
    const { broker, state } = await openBroker({ leaseMs: 200 });
    const { entryId, token } = one(await deliver(broker, 'q', item('a')));

    const again = one(await takeOver(broker, 'q'));

    expect(again.token).not.toBe(token);
    expect((await state('q')).pending).toEqual([`${entryId} x1`]);
  });

  it('finds entries whose answer was lost, and burns no hand-out for it', async () => {
    const { broker, redis, prefix } = await openBroker();
    await broker.inbox.append('q', [item('a'), item('b')], 'memory');
    await broker.work.ensure('q');
    const stream = `${prefix}:{q}:stream`;
    await redis.call('XREADGROUP', 'GROUP', 'workers', broker.workerName, 'COUNT', '1', 'STREAMS', stream, '>');
    const known = await broker.read('q', 1);

    const { deliveries: recovered } = await broker.work.recover(
      'q',
      new Set(known.map((delivery) => delivery.entryId)),
      10,
    );

    expect(recovered).toMatchObject([{ taskId: 'a', deliveryCount: 1 }]);
    expect(await broker.settle('q', [settlement(one(recovered), completion())])).toEqual([{ kind: 'done' }]);
  });

  it('turns a pending entry whose payload was deleted into a dead letter that says so', async () => {
    const { broker, another, redis, prefix } = await openBroker({ leaseMs: 100 });
    const delivery = one(await deliver(broker, 'q', item('a')));
    await redis.xdel(`${prefix}:{q}:stream`, delivery.entryId);
    const other = another();

    await expect.poll(async () => (await other.work.reclaim('q', 10, '0-0')).deletedCount, { interval: 20 }).toBe(1);

    const { letters } = await other.deadLetters.list('q', 10, undefined);
    expect(letters).toMatchObject([{ reason: 'payload-deleted', sourceEntryId: delivery.entryId, body: undefined }]);
  });

  it('removes a copy of a task that somebody added by hand, and runs a copy of a dead one', async () => {
    const { broker, redis, prefix, state } = await openBroker();
    const delivery = one(await deliver(broker, 'q', item('a')));
    await redis.xadd(`${prefix}:{q}:stream`, '*', ...delivery.fields);
    expect(await broker.read('q', 10)).toEqual([]);
    await broker.settle('q', [settlement(delivery, completion())]);
    await redis.xadd(`${prefix}:{q}:stream`, '*', ...delivery.fields);

    expect(await broker.read('q', 10)).toEqual([]);
    expect(await state('q')).toMatchObject({ stream: [], pending: [], records: ['a: completed'] });
  });

  it('reports progress while the task is its own, and not after', async () => {
    const { broker, another } = await openBroker({ leaseMs: 100 });
    const delivery = one(await deliver(broker, 'q', item('a')));

    expect(await broker.tasks.reportProgress(delivery, '{"percent":50}')).toBe(true);
    expect(await broker.tasks.get('q', 'a')).toMatchObject({ state: 'active', progress: { percent: 50 } });

    await takeOver(another(), 'q');
    expect(await broker.tasks.reportProgress(delivery, '{"percent":60}')).toBe(false);
  });

  it('leaves a group only when nothing is pending under its name', async () => {
    const { broker, redis, prefix } = await openBroker();
    const consumers = async () =>
      ((await redis.xinfo('CONSUMERS', `${prefix}:{q}:stream`, 'workers')) as unknown[]).length;
    const delivery = one(await deliver(broker, 'q', item('a')));

    await broker.work.leave('q');
    expect(await consumers()).toBe(1);

    await broker.settle('q', [settlement(delivery, completion())]);
    await broker.work.leave('q');
    expect(await consumers()).toBe(0);
  });

  it('forgets other consumers that hold nothing, and no others', async () => {
    const { broker, redis, prefix } = await openBroker();
    await deliver(broker, 'q', item('a'), item('b'));
    const stream = `${prefix}:{q}:stream`;
    await redis.xgroup('CREATECONSUMER', stream, 'workers', 'ghost');
    await broker.inbox.append('q', [item('c')], 'memory');
    await redis.call('XREADGROUP', 'GROUP', 'workers', 'dead', 'COUNT', '1', 'STREAMS', stream, '>');

    await expect.poll(() => broker.work.prune('q', 20)).toBe(1);

    const rows = (await redis.xinfo('CONSUMERS', stream, 'workers')) as string[][];
    expect(new Set(rows.map((row) => row[1]))).toEqual(new Set(['dead', broker.workerName]));
    expect(await broker.work.prune('q', 3_600_000)).toBe(0);
  });

  it('tells how much lies in a queue', async () => {
    const { broker } = await openBroker();
    expect(await broker.queues.inspect('q')).toMatchObject({
      waiting: 0,
      active: 0,
      delayed: 0,
      dead: 0,
      oldestWaitingMs: 0,
    });
    await deliver(broker, 'q', item('a'));
    await broker.inbox.append('q', [item('b'), item('c'), item('d', {}, { delayMs: 60_000 })], 'memory');

    await expect.poll(async () => (await broker.queues.inspect('q')).oldestWaitingMs).toBeGreaterThan(0);
    expect(await broker.queues.inspect('q')).toMatchObject({ waiting: 2, active: 1, delayed: 1, dead: 0 });
  });
});

/** How many clients of the server wait for tasks. */
async function blockedReaders(redis: { info(section: string): Promise<string> }): Promise<number> {
  return Number(/blocked_clients:(\d+)/.exec(await redis.info('clients'))?.[1]);
}

import { describe, expect, it } from 'vitest';

import { deliver, item, openBroker } from '../../support/broker/open-broker.js';

describe('appending tasks', () => {
  it('puts a task and its record into Redis together', async () => {
    const { broker, state } = await openBroker();
    expect(await state('q')).toMatchObject({ stream: [], records: [] });

    const { replies, durability } = await broker.inbox.append('q', [item('a'), item('b')], 'memory');

    expect(replies).toMatchObject([{ kind: 'added', state: 'waiting' }, { kind: 'added' }]);
    expect(durability).toEqual({ level: 'memory', confirmedBy: undefined, replicas: undefined });
    expect(await state('q')).toMatchObject({ stream: ['a', 'b'], records: ['a: waiting', 'b: waiting'] });
  });

  it('adds an id once, however often it is sent', async () => {
    const { broker, state } = await openBroker();
    const [first] = (await broker.inbox.append('q', [item('a', { n: 1 })], 'memory')).replies;

    const [again] = (await broker.inbox.append('q', [item('a', { n: 1 })], 'memory')).replies;

    expect(again).toEqual({ ...first, kind: 'duplicate' });
    expect((await state('q')).stream).toEqual(['a']);
  });

  it('answers the state a known task is in', async () => {
    const { broker } = await openBroker();
    await deliver(broker, 'q', item('a'));

    const { replies } = await broker.inbox.append('q', [item('a')], 'memory');

    expect(replies).toMatchObject([{ kind: 'duplicate', state: 'active' }]);
  });

  it.each([
    ['payload', item('a', { n: 2 })],
    ['name', item('a', { n: 1 }, { name: 'other' })],
  ])('refuses a known id with another %s', async (_, changed) => {
    const { broker, state } = await openBroker();
    await broker.inbox.append('q', [item('a', { n: 1 })], 'memory');

    const { replies } = await broker.inbox.append('q', [changed], 'memory');

    expect(replies).toEqual([{ kind: 'conflict' }]);
    expect((await state('q')).stream).toEqual(['a']);
  });

  it('keeps the ids of two queues apart', async () => {
    const { broker } = await openBroker();
    await broker.inbox.append('q', [item('a')], 'memory');

    const { replies } = await broker.inbox.append('r', [item('a')], 'memory');

    expect(replies).toMatchObject([{ kind: 'added' }]);
  });

  it.each([
    ['a delay', { delayMs: 60_000 }],
    ['a time', { runAt: Date.now() + 60_000 }],
  ])('keeps a task with %s out of the stream', async (_, when) => {
    const { broker, state } = await openBroker();

    const { replies } = await broker.inbox.append('q', [item('a', {}, when)], 'memory');

    expect(replies).toEqual([{ kind: 'added', entryId: undefined, state: 'delayed' }]);
    expect(await state('q')).toMatchObject({ stream: [], delayed: ['a'], records: ['a: delayed'] });
  });

  it('runs a task whose time is past at once', async () => {
    const { broker, state } = await openBroker();

    await broker.inbox.append('q', [item('a', {}, { runAt: Date.now() - 60_000 })], 'memory');

    expect(await state('q')).toMatchObject({ stream: ['a'], delayed: [] });
  });

  it('lets one bad task of a batch fail alone', async () => {
    const { broker, redis, prefix, state } = await openBroker();
    await redis.lpush(`${prefix}:{q}:t:bad`, 'not a record');

    const { replies } = await broker.inbox.append('q', [item('a'), item('bad'), item('b')], 'memory');

    expect(replies).toMatchObject([{ kind: 'added' }, { kind: 'refused' }, { kind: 'added' }]);
    await redis.del(`${prefix}:{q}:t:bad`);
    expect((await state('q')).stream).toEqual(['a', 'b']);
  });

  it('survives a server that forgot its scripts', async () => {
    const { broker, redis, state } = await openBroker();
    await broker.inbox.append('q', [item('a')], 'memory');
    await redis.script('FLUSH');

    await broker.inbox.append('q', [item('b')], 'memory');

    expect((await state('q')).stream).toEqual(['a', 'b']);
  });
});

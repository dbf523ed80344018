import { describe, expect, inject, it, onTestFinished } from 'vitest';

import { conditionOf } from '../../../libs/task-streams/src/policy/redis-reactions.js';
import { ChaosProxy } from '../../chaos/harness/chaos-proxy.js';
import type { PassingCommand, Verdict } from '../../chaos/harness/proxy-rules.js';
import { TRANSIENT_REPLIES } from '../../chaos/harness/transient-replies.js';
import { item, openBroker, type BrokerBench } from '../../support/broker/open-broker.js';
import { ScriptedExecutor } from '../../support/worker/scripted-executor.js';
import { QUICK, startWorker } from '../../support/worker/start-worker.js';

const TRANSIENT = [...TRANSIENT_REPLIES, 'MOVED 3999 127.0.0.1:1'];
const REFUSED_AT_ONCE: readonly (readonly [reply: string, code: string, cure: RegExp])[] = [
  ["OOM command not allowed when used memory > 'maxmemory'.", 'TASK_STREAMS_QUEUE_FULL', /more memory/],
  ['MISCONF Redis is configured to save RDB snapshots', 'TASK_STREAMS_QUEUE_UNAVAILABLE', /see its log/],
  ['NOREPLICAS Not enough good replicas to write.', 'TASK_STREAMS_QUEUE_UNAVAILABLE', /min-replicas-to-write/],
  ['NOAUTH Authentication required.', 'TASK_STREAMS_QUEUE_UNAVAILABLE', /Give the connection a password/],
  ['WRONGPASS invalid username-password pair', 'TASK_STREAMS_QUEUE_UNAVAILABLE', /Correct the user name/],
  ['NOPERM this user has no permissions', 'TASK_STREAMS_QUEUE_UNAVAILABLE', /ACL SETUSER/],
  ["ERR unknown command 'EVALSHA'", 'TASK_STREAMS_QUEUE_UNAVAILABLE', /Redis 7\.0/],
  ['ERR something nobody has heard of', 'TASK_STREAMS_QUEUE_UNAVAILABLE', /send again/],
];

const isScript = ({ name }: PassingCommand): boolean => name === 'EVALSHA' || name === 'EVAL';

async function openProxied(options: object = {}): Promise<BrokerBench & { readonly proxy: ChaosProxy }> {
  const url = new URL(inject('redisUrl'));
  const proxy = await new ChaosProxy(Number(url.port)).listen();
  onTestFinished(() => proxy.close());
  const bench = await openBroker({ connection: { url: proxy.url }, ...options });
  return { ...bench, proxy };
}

/** Answers the first `count` scripts with an error, or does worse to them. */
function failFirst(proxy: ChaosProxy, verdict: Verdict, count: number): () => number {
  let seen = 0;
  proxy.judge = (command) => {
    if (!isScript(command)) return 'pass';
    seen += 1;
    return seen <= count ? verdict : 'pass';
  };
  return () => seen;
}

describe('enqueue, when Redis answers with an error', () => {
  it.each(TRANSIENT)('sends the same id again after %s', async (reply) => {
    const { broker, proxy, state } = await openProxied();
    failFirst(proxy, { error: reply }, 3);

    const { replies } = await broker.inbox.append('q', [item('a')], 'memory');

    expect(replies).toMatchObject([{ kind: 'added' }]);
    expect((await state('q')).stream).toEqual(['a']);
  });

  it.each(TRANSIENT)('gives up at its deadline and says what it tried, after %s', async (reply) => {
    const { broker, proxy, state } = await openProxied({ enqueueTimeoutMs: 300 });
    failFirst(proxy, { error: reply }, Infinity);

    const failure = await broker.inbox.append('q', [item('a')], 'memory').catch((thrown: unknown) => thrown);

    expect(failure).toMatchObject({ code: 'TASK_STREAMS_QUEUE_UNAVAILABLE', taskIds: ['a'] });
    // The reply, or that there was no connection when the time was up: a fail-over drops the socket each time.
    expect((failure as Error).message).toContain(`127.0.0.1:${proxy.port}`);
    expect((await state('q')).stream).toEqual([]);
  });

  it.each(REFUSED_AT_ONCE)('throws at once after %s', async (reply, code, cure) => {
    const { broker, proxy, state } = await openProxied({ enqueueTimeoutMs: 60_000 });
    const seen = failFirst(proxy, { error: reply }, Infinity);

    const failure = await broker.inbox.append('q', [item('a')], 'memory').catch((thrown: unknown) => thrown);

    expect(failure).toMatchObject({ code, message: expect.stringMatching(cure) });
    if (code !== 'TASK_STREAMS_QUEUE_FULL') expect((failure as Error).message).toContain(reply.replace(/\.$/, ''));
    expect(seen()).toBe(1);
    expect((await state('q')).stream).toEqual([]);
  });

  it('drops the socket of a server that is a replica now', async () => {
    const { broker, proxy } = await openProxied();
    await broker.inbox.append('q', [item('a')], 'memory');
    const connections: unknown[] = [];
    failFirst(proxy, { error: "READONLY You can't write against a read only replica." }, 1);
    const { judge } = proxy;
    proxy.judge = (command) => {
      if (command.name === 'INFO') connections.push(command);
      return judge(command);
    };

    await broker.inbox.append('q', [item('b')], 'memory');

    // Each new connection asks whether the server is ready.
    expect(connections.length).toBe(1);
  });

  it('adds one entry although the answer to the first try was lost', async () => {
    const { broker, proxy, state } = await openProxied();
    await broker.inbox.append('q', [item('a')], 'memory');
    failFirst(proxy, 'drop-reply', 1);

    expect(await broker.inbox.append('q', [item('b')], 'memory')).toMatchObject({ replies: [{ kind: 'duplicate' }] });

    expect((await state('q')).stream).toEqual(['a', 'b']);
  });

  it('says that it is not known, where no answer came at all', async () => {
    const { broker, proxy } = await openProxied({ enqueueTimeoutMs: 400 });
    failFirst(proxy, 'drop-reply', Infinity);

    await expect(broker.inbox.append('q', [item('a')], 'memory')).rejects.toMatchObject({
      code: 'TASK_STREAMS_ENQUEUE_UNCERTAIN',
    });
  });

  it('treats a durable enqueue alike', async () => {
    const { broker, proxy, state } = await openProxied();
    failFirst(proxy, { error: TRANSIENT[0] ?? '' }, 2);
    const failure = await broker.inbox
      .append('q', [item('a')], { replicas: 1, timeoutMs: 10 })
      .catch((e: unknown) => e);

    expect(failure).toMatchObject({ code: 'TASK_STREAMS_DURABILITY_NOT_CONFIRMED' });
    expect((await state('q')).stream).toEqual(['a']);
  });
});

describe('a worker, when Redis answers everything with an error', () => {
  const CONDITIONS: readonly (readonly [reply: string, condition: string])[] = [
    ...TRANSIENT.map((reply) => [reply, /^(READONLY|UNBLOCKED)/.test(reply) ? 'degraded' : 'up'] as const),
    ['NOSCRIPT No matching script. Please use EVAL.', 'up'],
    ["OOM command not allowed when used memory > 'maxmemory'.", 'degraded'],
    ['MISCONF Redis is configured to save RDB snapshots', 'degraded'],
    ['NOREPLICAS Not enough good replicas to write.', 'degraded'],
    ['NOPERM this user has no permissions', 'down'],
    ["NOGROUP No such key 'x' or consumer group 'workers' in XREADGROUP with GROUP option", 'up'],
    ['WRONGTYPE Operation against a key holding the wrong kind of value', 'down'],
    ['ERR something nobody has heard of', 'degraded'],
  ];

  it.each(CONDITIONS)('waits and goes on by itself after %s (%s at first)', async (reply, condition) => {
    const { broker, proxy, another } = await openProxied(QUICK);
    const direct = another({ connection: { url: inject('redisUrl') } });
    const executor = new ScriptedExecutor();
    const worker = startWorker(broker, executor);
    await direct.inbox.append('q', [item('a')], 'memory');
    await expect.poll(() => executor.started).toEqual(['a']);
    const fetchTrouble = () => worker.pool.status().queues[0]?.troubles.find(({ operation }) => operation === 'fetch');

    proxy.judge = (command) => (command.name === 'INFO' ? 'pass' : { error: reply });
    await expect.poll(() => fetchTrouble()?.error.message).toContain(reply.slice(0, 20));
    const { error: seen, sinceMs = 0 } = fetchTrouble() ?? {};
    expect(conditionOf(seen, Math.min(sinceMs, 9_000))).toBe(condition);
    proxy.heal();
    await direct.inbox.append('q', [item('b')], 'memory');

    await expect.poll(() => executor.started, { timeout: 12_000 }).toEqual(['a', 'b']);
    await expect.poll(() => direct.tasks.get('q', 'b')).toMatchObject({ state: 'completed', failedAttempts: 0 });
    expect((await direct.tasks.get('q', 'b'))?.deliveryCount).toBe(1);
    await expect.poll(() => fetchTrouble()).toBeUndefined();
  });

  it('asks at most once in five seconds for what only somebody outside can change', async () => {
    const { broker, proxy } = await openProxied(QUICK);
    const worker = startWorker(broker, new ScriptedExecutor());
    await expect.poll(() => worker.pool.status().queues[0]?.sinceLastFetchMs).toBeLessThan(1_000);
    const at: number[] = [];
    const { sha } = broker.session.script('ensure');
    proxy.judge = (command) => {
      if (command.words[0] === sha) at.push(performance.now());
      return { error: 'NOPERM this user has no permissions' };
    };

    await expect.poll(() => at.length, { timeout: 15_000 }).toBe(2);

    expect((at[1] ?? 0) - (at[0] ?? 0)).toBeGreaterThanOrEqual(4_990);
  });
});

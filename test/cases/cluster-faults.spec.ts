import { describe, expect, it } from 'vitest';
import {
  EnqueueRefusedError,
  EnqueueUncertainError,
  UsageError,
  type TaskContext,
} from '../../libs/task-streams/src/index.js';
import { handlersOf, sleep, startCaseApp, type CaseApp, type CaseAppInput } from './support/case-app.js';
import { startTestCluster, type TestCluster } from './support/cluster.js';

const PREFIX = 'cluster';
/** One in each third of the slots. */
const QUEUES = ['q', 'b', 'c'];

interface Runs {
  /** How often each task began its handler. */
  readonly started: Map<string, number>;
  readonly done: Set<string>;
}

/** An application with a handler in each queue: every fifth task fails once, every third has a key of its own. */
async function startApp(cluster: TestCluster, input: Partial<CaseAppInput> = {}): Promise<CaseApp & { runs: Runs }> {
  const runs: Runs = { started: new Map(), done: new Set() };
  const work = async ({ fails }: { readonly fails?: boolean }, ctx: TaskContext) => {
    const attempt = `${ctx.taskId}#${ctx.attempt}`;
    runs.started.set(attempt, (runs.started.get(attempt) ?? 0) + 1);
    await sleep(5);
    if (fails && ctx.attempt === 1) throw new Error('not yet');
    runs.done.add(ctx.taskId);
    return ctx.taskId;
  };
  const app = await startCaseApp({
    url: '',
    prefix: PREFIX,
    // A task that is reclaimed is one that was lost sight of: nothing here takes so long.
    words: { lease: 30_000, enqueueDeadline: 5_000 },
    providers: QUEUES.map((queue) => handlersOf({ work: work as never }, { queue })),
    ...input,
    options: { connection: cluster.connection, ...input.options },
  });
  return { ...app, runs };
}

/** Sends tasks, one after the other in each queue, until it is told to stop. */
function send({ client }: CaseApp, queues: readonly string[] = QUEUES) {
  const accepted = new Set<string>();
  const errors: unknown[] = [];
  const stopping = new AbortController();
  const sendTo = async (queue: string) => {
    for (let i = 0; !stopping.signal.aborted; i += 1) {
      const id = `${queue}-${i}`;
      const key = i % 3 === 0 ? { idempotencyKey: `key of ${id}` } : {};
      try {
        await client.enqueue('work', { fails: i % 5 === 0 }, { id, queue, ...key });
        accepted.add(id);
      } catch (error) {
        errors.push(error);
      }
      await sleep(2);
    }
  };
  const all = Promise.all(queues.map(sendTo));
  return {
    accepted,
    errors,
    stop: async () => {
      stopping.abort();
      await all;
    },
  };
}

function everyTaskRanOnce({ started, done }: Runs, accepted: ReadonlySet<string>): void {
  expect([...accepted].filter((id) => !done.has(id))).toEqual([]);
  expect([...started].filter(([, count]) => count > 1)).toEqual([]);
}

describe('a slot that is moved while its queue is in use', () => {
  it('loses nothing, runs nothing twice and refuses nothing', async () => {
    const cluster = await startTestCluster();
    const app = await startApp(cluster);
    const load = send(app);
    await expect.poll(() => app.runs.done.size).toBeGreaterThan(200);

    for (let round = 0; round < 2; round += 1) {
      await cluster.moveQueue(PREFIX, 'q');
      const { size } = load.accepted;
      await expect.poll(() => load.accepted.size).toBeGreaterThan(size + 100);
    }
    await load.stop();

    await expect.poll(() => [...load.accepted].every((id) => app.runs.done.has(id)), { timeout: 20_000 }).toBe(true);
    everyTaskRanOnce(app.runs, load.accepted);
    expect(load.errors).toEqual([]);
    expect(app.eventsOf('reclaimed')).toEqual([]);
    // The reader waits at the new owner: a task is seen at once.
    await app.client.enqueue('work', {}, { id: 'after', queue: 'q' });
    expect(await app.client.result({ queue: 'q', id: 'after' }, { timeoutMs: 2_000 })).toBe('after');
  });

  it('says that the tasks are surely not added where the move takes longer than the deadline', async () => {
    const cluster = await startTestCluster();
    const app = await startApp(cluster, { isProducer: true, words: { enqueueDeadline: 1_000 } });
    for (let i = 0; i < 60; i += 1) await app.client.enqueue('work', {}, { id: `r${i}`, queue: 'q' });

    const moved = cluster.moveQueue(PREFIX, 'q', 1_000);
    await sleep(300);
    const late = await app.client.enqueue('work', {}, { id: 'late', queue: 'q' }).catch((error: unknown) => error);
    expect(late).toMatchObject({ code: 'TASK_STREAMS_QUEUE_UNAVAILABLE' });
    await moved;

    expect(await app.client.get({ queue: 'q', id: 'late' })).toBeUndefined();
    expect(await app.client.enqueue('work', {}, { id: 'late', queue: 'q' })).toMatchObject({ duplicate: false });
    expect(await app.client.enqueue('work', {}, { id: 'r0', queue: 'q' })).toMatchObject({ duplicate: true });
  });
});

describe('connections that are cut again and again', () => {
  it('leave no task to wait for its lease', async () => {
    const cluster = await startTestCluster();
    const app = await startApp(cluster);
    const load = send(app);
    await expect.poll(() => app.runs.done.size).toBeGreaterThan(100);

    for (let round = 0; round < 12; round += 1) {
      await Promise.all(cluster.masters.map(({ client }) => client.call('CLIENT', 'KILL', 'TYPE', 'normal')));
      await sleep(250);
    }
    await load.stop();

    const stoppedAt = Date.now();
    await expect.poll(() => [...load.accepted].every((id) => app.runs.done.has(id)), { timeout: 20_000 }).toBe(true);
    expect(Date.now() - stoppedAt).toBeLessThan(8_000);
    everyTaskRanOnce(app.runs, load.accepted);
    expect(load.errors).toEqual([]);
    expect(app.eventsOf('reclaimed')).toEqual([]);
  });
});

describe('a master that dies', () => {
  it('is replaced by its replica, and the other queues go on meanwhile', async () => {
    const cluster = await startTestCluster({ hasReplicas: true });
    const app = await startApp(cluster);
    const owner = await cluster.ownerOf(PREFIX, 'q');
    const load = send(app);
    await expect.poll(() => app.runs.done.size).toBeGreaterThan(100);

    await owner.server.kill('SIGKILL');
    const doneOf = (queue: string) => [...app.runs.done].filter((id) => id.startsWith(`${queue}-`)).length;
    const before = doneOf('b');
    await expect.poll(() => doneOf('b'), { timeout: 2_000 }).toBeGreaterThan(before + 50);
    const ofDead = doneOf('q');
    await expect.poll(() => doneOf('q'), { timeout: 20_000 }).toBeGreaterThan(ofDead + 50);
    await load.stop();

    // What was accepted a moment before the kill may not have reached the replica.
    await expect.poll(() => app.client.get({ queue: 'q', id: 'q-0' })).toMatchObject({ state: 'completed' });
    const isRefused = (error: unknown) => error instanceof EnqueueRefusedError;
    expect(load.errors.filter(isRefused)).toEqual([]);
    expect(load.errors.filter((error) => !(error instanceof EnqueueUncertainError)).length).toBeLessThan(5);
  });

  it('without its replica confirms nothing and holds up no other', async () => {
    const cluster = await startTestCluster({ hasReplicas: true });
    const app = await startApp(cluster, { isProducer: true });
    const owner = await cluster.ownerOf(PREFIX, 'q');
    await cluster.replicas[cluster.masters.indexOf(owner)]?.server.kill('SIGSTOP');
    const durability = { replicas: 1, timeoutMs: 1_000 };

    const sentTo = (queue: string) =>
      Promise.all(
        Array.from({ length: 20 }, async (_, i) => {
          const begin = performance.now();
          const receipt = await app.client
            .enqueue('work', {}, { id: `${queue}-${i}`, queue, durability })
            .catch((error: { code: string }) => error.code);
          return { receipt, tookMs: performance.now() - begin };
        }),
      );
    const [ofBroken, ofOther] = await Promise.all([sentTo('q'), sentTo('b')]);

    expect(new Set(ofBroken.map(({ receipt }) => receipt))).toEqual(new Set(['TASK_STREAMS_DURABILITY_NOT_CONFIRMED']));
    for (const { receipt, tookMs } of ofOther) {
      expect(receipt).toMatchObject({ durability: { confirmedBy: 'WAIT', replicas: 1 } });
      expect(tookMs).toBeLessThan(900);
    }
  });
});

describe('a follow-up to another queue', () => {
  it('is refused in the handler, before its effect, where the queue is in another slot', async () => {
    const cluster = await startTestCluster();
    const effects: string[] = [];
    const errors: unknown[] = [];
    const parent = ({ next }: { readonly next: string }, ctx: TaskContext) => {
      try {
        ctx.enqueue('child', {}, { queue: next, id: `child-${next}` });
      } catch (error) {
        errors.push(error);
        throw error;
      }
      effects.push(next);
    };
    const app = await startApp(cluster, {
      words: { maxAttempts: 1 },
      providers: [handlersOf({ parent: parent as never, child: () => 'ran' }, { queue: 'q' })],
    });

    await app.client.enqueue('parent', { next: 'b' }, { id: 'far', queue: 'q' });
    await app.client.enqueue('parent', { next: 'q' }, { id: 'near', queue: 'q' });

    await expect
      .poll(() => app.client.get({ queue: 'q', id: 'child-q' }))
      .toMatchObject({ state: 'completed', result: 'ran' });
    await expect.poll(() => app.letters.count('q')).toBe(1);
    expect(effects).toEqual(['q']);
    expect(errors).toEqual([expect.any(UsageError)]);
    expect((errors[0] as Error).message).toMatch(/queue "q".*queue "b".*slots/);
  });
});

describe('a follow-up to the queue of its parent', () => {
  it('waits where the slot of that queue is on the move', async () => {
    const cluster = await startTestCluster();
    let open: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (open = resolve));
    const parent = async (_: unknown, ctx: TaskContext) => {
      ctx.enqueue('child', {}, { id: 'child' });
      await gate;
    };
    const app = await startApp(cluster, {
      providers: [handlersOf({ parent: parent as never, child: () => 'ran' }, { queue: 'q' })],
    });
    await app.client.enqueue('parent', {}, { id: 'parent', queue: 'q' });
    await expect.poll(() => app.client.get({ queue: 'q', id: 'parent' })).toMatchObject({ state: 'active' });

    const from = await cluster.ownerOf(PREFIX, 'q');
    const to = cluster.masters.find((master) => master !== from) as typeof from;
    const slot = (await from.client.call('CLUSTER', 'KEYSLOT', `${PREFIX}:{q}:stream`)) as number;
    await to.client.call('CLUSTER', 'SETSLOT', slot, 'IMPORTING', from.id);
    await from.client.call('CLUSTER', 'SETSLOT', slot, 'MIGRATING', to.id);
    open();
    // The completion itself, or the dead letter that it must not become, cannot be written now.
    const operations = () => app.eventsOf('redis-error').map(({ operation }) => operation);
    await expect.poll(operations).toContain('settle');
    for (const { client } of [from, to]) await client.call('CLUSTER', 'SETSLOT', slot, 'STABLE');

    await expect
      .poll(() => app.client.get({ queue: 'q', id: 'child' }))
      .toMatchObject({ state: 'completed', result: 'ran' });
    expect(await app.client.get({ queue: 'q', id: 'parent' })).toMatchObject({ state: 'completed' });
    expect(await app.letters.count('q')).toBe(0);
  });
});

describe('a queue that is paused and resumed', () => {
  it('keeps its connection: nothing is heard of it', async () => {
    const cluster = await startTestCluster();
    const app = await startApp(cluster);
    await app.client.enqueue('work', {}, { id: 'before', queue: 'q' });
    await app.client.result({ queue: 'q', id: 'before' }, { timeoutMs: 5_000 });

    await cluster.client.hset(`${PREFIX}:{q}:meta`, 'paused', JSON.stringify({ by: 'test', reason: 'test', at: 1 }));
    await sleep(500);
    await cluster.client.hdel(`${PREFIX}:{q}:meta`, 'paused');

    await app.client.enqueue('work', {}, { id: 'later', queue: 'q' });
    expect(await app.client.result({ queue: 'q', id: 'later' }, { timeoutMs: 5_000 })).toBe('later');
    expect(app.eventsOf('redis-error')).toEqual([]);
  });
});

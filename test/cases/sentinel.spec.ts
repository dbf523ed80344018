import { once } from 'node:events';
import { Redis } from 'ioredis';
import { describe, expect, it, onTestFinished } from 'vitest';
import { EnqueueUncertainError, QueueUnavailableError, type Durability } from '../../libs/task-streams/src/index.js';
import { FailOver } from '../../libs/task-streams/src/redis/connection/fail-over.js';
import { SentinelWatch } from '../../libs/task-streams/src/redis/connection/sentinel-watch.js';
import type { TestRedis } from '../support/redis-server.js';
import { SentinelServers } from '../support/topologies/sentinels.js';
import { startCaseApp, type CaseApp, type CaseHandler } from './support/case-app.js';
import { QUEUE } from './support/options.js';
import { startSentinelSet, type SentinelSet } from './support/sentinels.js';
import { TEST_GROUNDS } from './support/test-grounds.js';

const PREFIX = 'sentinel';
const NAME = 'the-app';

function startApp(set: SentinelSet, tasks?: Readonly<Record<string, CaseHandler>>): Promise<CaseApp> {
  return startCaseApp({
    url: set.primary.url,
    prefix: PREFIX,
    isProducer: tasks === undefined,
    tasks: tasks ?? {},
    options: { connection: { options: { ...set.connection, connectionName: NAME } }, enqueueTimeoutMs: 5_000 },
  });
}

/** Enqueues tasks that stay delayed, about 200 a second, until it is stopped. */
class Load {
  readonly accepted: string[] = [];
  readonly errors: unknown[] = [];
  private readonly sent: Promise<unknown>[] = [];
  private readonly timer: NodeJS.Timeout;

  constructor({ client }: CaseApp, durability: Durability = 'memory') {
    this.timer = setInterval(() => {
      const id = `t${this.sent.length}`;
      const enqueued = client.enqueue('job', {}, { id, queue: QUEUE, delayMs: 60_000, durability });
      this.sent.push(
        enqueued.then(
          () => this.accepted.push(id),
          (error: unknown) => this.errors.push(error),
        ),
      );
    }, 5);
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await Promise.all(this.sent);
  }

  /** Those of the accepted ones that the primary of now does not have. */
  async lost(set: SentinelSet): Promise<string[]> {
    const { client } = await set.current();
    const found = await Promise.all(this.accepted.map((id) => client.exists(`${PREFIX}:{${QUEUE}}:t:${id}`)));
    return this.accepted.filter((_, i) => found[i] === 0);
  }

  /** Resolves when so many more have been accepted. */
  async goesOn(count = 100): Promise<void> {
    const target = this.accepted.length + count;
    await expect.poll(() => this.accepted.length, { timeout: 15_000 }).toBeGreaterThan(target);
  }
}

/** Fails over under load: no accepted task is lost, none is refused, and no connection stays with the old primary. */
async function failsOverWithoutLoss(set: SentinelSet, load: Load): Promise<void> {
  await set.failOver();
  await load.goesOn();
  await load.stop();

  expect(load.errors).toEqual([]);
  expect(await load.lost(set)).toEqual([]);
  expect(await set.connectionsAt(set.primary, NAME)).toEqual([]);
}

describe('a planned fail-over by Sentinel', () => {
  it.each<Durability>(['memory', { replicas: 1 }])(
    'loses no accepted task, refuses none, and leaves no connection with the old primary (%o)',
    async (durability) => {
      const set = await startSentinelSet();
      const app = await startApp(set);
      // Opens a connection that is idle from then on.
      await app.client.get({ queue: QUEUE, id: 'nobody' });
      const load = new Load(app, durability);
      await load.goesOn();
      expect((await set.connectionsAt(set.primary, NAME)).length).toBeGreaterThan(1);

      await failsOverWithoutLoss(set, load);
    },
  );

  it('loses nothing either while the Sentinel that is asked next stands still', async () => {
    const set = await startSentinelSet();
    const load = new Load(await startApp(set));
    await load.goesOn();
    await set.freezeNextSentinel();

    await failsOverWithoutLoss(set, load);
  });

  it('lets workers go on: what had been completed is not run again, and readers have moved', async () => {
    const set = await startSentinelSet();
    const runs = new Map<string, number>();
    const app = await startApp(set, {
      job: (_: unknown, ctx) => void runs.set(ctx.taskId, (runs.get(ctx.taskId) ?? 0) + 1),
    });
    let count = 0;
    const timer = setInterval(() => {
      count += 1;
      void app.client.enqueue('job', {}, { id: `w${count}`, queue: QUEUE });
    }, 10);
    await expect.poll(() => runs.size).toBeGreaterThan(50);
    const runBefore = [...runs.keys()];

    await set.failOver();
    const seen = runs.size;
    await expect.poll(() => runs.size, { timeout: 15_000 }).toBeGreaterThan(seen + 50);
    clearInterval(timer);
    await expect.poll(() => runs.size, { timeout: 15_000 }).toBe(count);

    expect(runBefore.filter((id) => runs.get(id) !== 1)).toEqual([]);
    expect(await set.connectionsAt(set.primary, NAME)).toEqual([]);
  });
});

describe('a process that starts in the middle of a fail-over', () => {
  it('leaves the old primary, to which it was sent, and which is told nothing yet', async () => {
    const set = await SentinelServers.start(TEST_GROUNDS, { replicas: 1, sentinels: 2 });
    const client = new Redis({ ...set.connection, sentinels: [...set.connection.sentinels], protocol: 2 });
    const failOver = new FailOver();
    onTestFinished(() => {
      failOver.close();
      client.disconnect();
    });
    await once(client, 'ready');
    // Before anybody has heard what the Sentinels say.
    const next = await set.moveSilently();
    failOver.watch(client, 'command');

    await expect.poll(() => client.stream.remotePort, { timeout: 5_000 }).toBe(next.port);
  });

  it('compares with what most Sentinels name, and not with the word of one that is left alone', async () => {
    const set = await SentinelServers.start(TEST_GROUNDS, { replicas: 1, sentinels: 3 });
    const { primary, next, named } = await watched(set);
    await expect.poll(() => named).toContain(primary);
    const [lonely, ...others] = set.sentinels as [TestRedis, ...TestRedis[]];
    for (const other of others) await other.kill('SIGSTOP');

    const moved = next();
    const { port } = await set.moveSilently([lonely]);

    await moved;
    expect(named).not.toContain(port);
  });
});

/** What a watch hears: the port of the primary each time, and the next move. */
async function watched(set: SentinelServers) {
  const primary = (await set.current()).port;
  const named: number[] = [];
  let moved: () => void = () => undefined;
  const next = () => new Promise<void>((resolve) => (moved = resolve));
  const { sentinels, name } = set.connection;
  const watch = new SentinelWatch(
    { sentinels: [...sentinels], name },
    {
      onBegin: () => undefined,
      onEnd: () => undefined,
      // What is named with the move is named in the same step.
      onMoved: () => queueMicrotask(moved),
      onNamed: ({ port }) => named.push(port),
    },
  );
  onTestFinished(() => watch.close());
  return { primary, next, named };
}

describe('a primary that Sentinel replaces because it is gone', () => {
  it('killed: enqueues wait for the next one, and nothing that a replica confirmed is lost', async () => {
    const set = await startSentinelSet();
    const load = new Load(await startApp(set), { replicas: 1 });
    await load.goesOn();

    await set.primary.kill('SIGKILL');
    await set.switched();
    await load.goesOn();
    await load.stop();

    expect(await load.lost(set)).toEqual([]);
  });

  it('stopped for a while: nobody goes back to it when it wakes', async () => {
    const set = await startSentinelSet();
    const load = new Load(await startApp(set));
    await load.goesOn();

    await set.primary.kill('SIGSTOP');
    await set.switched();
    await load.goesOn();
    await set.primary.kill('SIGCONT');
    await load.goesOn();
    await load.stop();

    expect(await set.connectionsAt(set.primary, NAME)).toEqual([]);
    const unknown = load.errors.filter(
      (error) => !(error instanceof EnqueueUncertainError || error instanceof QueueUnavailableError),
    );
    expect(unknown).toEqual([]);
  });
});

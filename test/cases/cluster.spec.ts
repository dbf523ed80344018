import { describe, expect, it } from 'vitest';
import { InvalidNameError, type ConnectionOptions } from '../../libs/task-streams/src/index.js';
import { handlersOf, startCaseApp } from './support/case-app.js';
import { startTestCluster } from './support/cluster.js';

const PREFIX = 'cluster';
const QUEUES = ['q', 'a.b:c', 'ключ', 'another-queue'];

describe('a cluster of three', () => {
  it('does everything for queues in all of its slots, and keeps the keys of a queue together', async () => {
    const cluster = await startTestCluster();
    const runs: string[] = [];
    const handle = (_: unknown, ctx: { readonly queue: string; readonly attempt: number; readonly taskId: string }) => {
      runs.push(`${ctx.queue} ${ctx.taskId} ${ctx.attempt}`);
      if (ctx.taskId === 'dead' || ctx.attempt === 1) throw new Error('not yet');
      return ctx.queue;
    };
    const createClient = ((_role, options) => cluster.createClient(options)) as ConnectionOptions['createClient'];
    const { client, letters, eventsOf, health } = await startCaseApp({
      url: '',
      prefix: PREFIX,
      words: { maxAttempts: 2 },
      options: { connection: { createClient: createClient as NonNullable<typeof createClient> } },
      providers: QUEUES.map((queue) => handlersOf({ work: handle }, { queue })),
    });

    for (const queue of QUEUES) {
      await client.enqueue('work', { queue }, { id: 'good', queue });
      expect(await client.enqueue('work', { queue }, { id: 'good', queue })).toMatchObject({ duplicate: true });
      await client.enqueue('work', { queue }, { id: 'dead', queue, idempotencyKey: 'a key' });
      await client.enqueue('work', { queue }, { id: 'later', queue, delayMs: 100 });
    }

    for (const queue of QUEUES) {
      expect(await client.result({ queue, id: 'good' }, { timeoutMs: 15_000 })).toBe(queue);
      expect(await client.result({ queue, id: 'later' }, { timeoutMs: 15_000 })).toBe(queue);
      await expect.poll(() => letters.count(queue), { timeout: 15_000 }).toBe(1);
      expect((await letters.list(queue)).letters).toMatchObject([{ taskId: 'dead', reason: 'attempts-exhausted' }]);
      expect(await slotsOf(cluster.client, `${PREFIX}:{${queue}}:*`)).toHaveLength(1);
    }
    expect(runs.toSorted()).toEqual(
      QUEUES.flatMap((queue) =>
        ['good', 'dead', 'later'].flatMap((id) => [`${queue} ${id} 1`, `${queue} ${id} 2`]),
      ).toSorted(),
    );
    expect(await slotsOf(cluster.client, `${PREFIX}:*`)).not.toHaveLength(1);
    expect(eventsOf('redis-error')).toEqual([]);
    expect(await health.isReady('tasks')).toMatchObject({ tasks: { status: 'up' } });
  });
});

describe.each(['{x}y', 'q{', 'q}', 'a queue', 'a\nqueue', ''])('a queue called %j', (queue) => {
  it('is refused when its handler is declared', () => {
    expect(() => handlersOf({ job: () => undefined }, { queue })).toThrow(InvalidNameError);
  });
});

async function slotsOf(
  client: Awaited<ReturnType<typeof startTestCluster>>['client'],
  pattern: string,
): Promise<number[]> {
  const lists = await Promise.all(client.nodes('master').map((node) => node.keys(pattern)));
  const slots = await Promise.all(lists.flat().map((key) => client.cluster('KEYSLOT', key)));
  return [...new Set(slots)];
}

import type { Redis } from 'ioredis';
import { describe, expect, inject, it, onTestFinished, vi } from 'vitest';

import type { ClaimReply } from '../../../libs/task-streams/src/contracts/work-store.interface.js';
import { loadScript } from '../../../libs/task-streams/src/redis/connection/load-script.js';
import { ChaosProxy } from '../../chaos/harness/chaos-proxy.js';
import { deliver, item, openBroker } from '../../support/broker/open-broker.js';
import { settlement } from '../../support/broker/settlements.js';
import type { TestBroker } from '../../support/broker/test-broker.js';
import { ScriptedExecutor } from '../../support/worker/scripted-executor.js';
import { QUICK, startWorker } from '../../support/worker/start-worker.js';

const LEASE_MS = 60_000;
const OPTIONS = { ...QUICK, leaseMs: LEASE_MS };
const LONG_AGO_MS = 50_000;

interface Bench {
  /** Whose worker gets the task. */
  readonly broker: TestBroker;
  /** Another worker. */
  readonly other: TestBroker;
  readonly redis: Redis;
  readonly stream: string;
}

/** A way on which a task comes to a worker. */
interface Door {
  readonly name: 'turn' | 'wait' | 'recover' | 'reclaim';
  /** Makes a task ready for this door and no other. */
  readonly prepare: (bench: Bench) => Promise<unknown>;
  readonly open: (broker: TestBroker) => Promise<ClaimReply>;
}

const DOORS: readonly Door[] = [
  {
    name: 'turn',
    prepare: ({ other }) => other.inbox.append('q', [item('a')], 'memory'),
    open: (broker) => broker.work.turn('q', [], 1),
  },
  {
    name: 'wait',
    prepare: ({ other }) => other.inbox.append('q', [item('a')], 'memory'),
    open: (broker) => broker.work.wait('q'),
  },
  {
    name: 'recover',
    prepare: async (bench) => {
      await bench.other.inbox.append('q', [item('a')], 'memory');
      await readUnseen(bench);
    },
    open: (broker) => broker.work.recover('q', new Set(), 1),
  },
  {
    name: 'reclaim',
    prepare: async ({ other }) => {
      const [delivery] = await deliver(other, 'q', item('a'));
      if (delivery) await other.settle('q', [settlement(delivery, { kind: 'release' })]);
    },
    open: (broker) => broker.work.reclaim('q', 1, '0-0'),
  },
];

/** A delivery whose answer was lost, long ago. */
async function readUnseen({ redis, stream, broker }: Bench): Promise<void> {
  await redis.xreadgroup('GROUP', 'workers', broker.workerName, 'COUNT', 1, 'STREAMS', stream, '>');
  const [[entry] = []] = (await redis.xrange(stream, '-', '+')) as [string, string[]][];
  await redis.xclaim(stream, 'workers', broker.workerName, 0, entry as string, 'IDLE', LONG_AGO_MS, 'JUSTID');
}

async function open(url?: string): Promise<Bench> {
  const { broker, redis, prefix, another } = await openBroker({ ...OPTIONS, ...(url ? { connection: { url } } : {}) });
  const other = another({ connection: { url: inject('redisUrl') } });
  await other.work.ensure('q');
  return { broker, other, redis, stream: `${prefix}:{q}:stream` };
}

describe('a lease', () => {
  it.each(DOORS)('is counted from before Redis began it, however late the answer of $name is', async (door) => {
    const proxy = await new ChaosProxy(Number(new URL(inject('redisUrl')).port)).listen();
    onTestFinished(() => proxy.close());
    const bench = await open(proxy.url);
    const { broker, redis, stream } = bench;
    for (const name of ['turn', 'claim', 'reclaim']) await redis.script('LOAD', loadScript(name).text);
    await door.prepare(bench);

    proxy.judge = ({ name }) => {
      if (name === 'EVALSHA') proxy.flow = 'up';
      return 'pass';
    };
    const answer = door.open(broker);
    await expect.poll(() => redis.hlen(stream.replace(/stream$/, 'owners'))).toBe(1);
    const doneAt = performance.now();
    proxy.heal();

    const { sentAt, deliveries } = await answer;
    expect(deliveries).toMatchObject([{ taskId: 'a' }]);
    expect(sentAt).toBeLessThan(doneAt);
    const [row] = (await redis.xpending(stream, 'workers', '-', '+', 1)) as [string, string, number, number][];
    expect(row?.[2]).toBeLessThanOrEqual(performance.now() - sentAt + 1);
  });

  it.each(DOORS)(
    'that is nearly over when the answer of $name comes is renewed before the task starts',
    async (door) => {
      const bench = await open();
      const { broker } = bench;
      const order: string[] = [];
      const executor = new ScriptedExecutor(async ({ taskId }) => void order.push(taskId));
      const lateAnswer = async (...args: readonly unknown[]) => {
        const real = Object.getPrototypeOf(broker.work)[door.name] as (...all: unknown[]) => Promise<ClaimReply>;
        const reply = await real.apply(broker.work, [...args]);
        if (reply.deliveries.length > 0) order.push(door.name);
        return { ...reply, sentAt: reply.sentAt - LEASE_MS * 0.75 };
      };
      vi.spyOn(broker.work, door.name as 'turn').mockImplementation(lateAnswer as never);
      const renew = vi.spyOn(broker.work, 'renew').mockImplementation(async (...args) => {
        order.push('renew');
        return Object.getPrototypeOf(broker.work).renew.apply(broker.work, args) as Promise<boolean[]>;
      });
      const wait = vi.spyOn(broker.work, 'wait');
      onTestFinished(() => [renew, wait].forEach((spy) => spy.mockRestore()));

      if (door.name !== 'wait') await door.prepare(bench);
      startWorker(broker, executor, OPTIONS, 4);
      if (door.name === 'wait') {
        await expect.poll(() => wait.mock.calls.length).toBe(1);
        await door.prepare(bench);
      }

      await expect.poll(() => order.at(-1)).toBe('a');
      expect(order.slice(-3)).toEqual([door.name, 'renew', 'a']);
    },
  );
});

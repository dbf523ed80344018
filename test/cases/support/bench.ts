import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Redis } from 'ioredis';
import { expect, inject, onTestFinished } from 'vitest';
import type { TaskHandlerOptions } from '../../../libs/task-streams/src/index.js';
import { startCaseApp, type CaseApp, type CaseAppInput } from './case-app.js';
import { Ledger } from './ledger.js';
import { productOptions, QUEUE, type CaseWords } from './options.js';
import { letterOf, type RawLetter } from './wire.js';
import { WorkerProcess } from './worker-process.js';

export interface BenchOptions {
  /** The Redis to use. Default: the one of the run. */
  readonly url?: string;
  /** How the processes and applications of the test reach it. Default: directly. */
  readonly through?: string;
}

export interface WorkerInput {
  readonly words?: CaseWords;
  readonly tasks?: Readonly<Record<string, TaskHandlerOptions>>;
  readonly url?: string;
  readonly nodeArguments?: readonly string[];
}

/** How much of the queue is left. */
export interface Remains {
  readonly stream: number;
  readonly pending: number;
  readonly delayed: number;
}

export const DRAINED: Remains = { stream: 0, pending: 0, delayed: 0 };

/** Everything a case needs: keys of its own, a ledger, and a plain client that looks at Redis as a stranger does. */
export class Bench {
  readonly prefix = `case-${randomBytes(6).toString('hex')}`;

  private constructor(
    readonly redis: Redis,
    readonly url: string,
    readonly through: string,
    readonly ledger: Ledger,
  ) {}

  static async open({ url = inject('redisUrl'), through = url }: BenchOptions = {}): Promise<Bench> {
    const redis = new Redis(url, {
      protocol: 2,
      maxRetriesPerRequest: 0,
      commandTimeout: 10_000,
      retryStrategy: () => 50,
    });
    // A case may end the server under it.
    redis.on('error', () => undefined);
    const dir = await mkdtemp(path.join(tmpdir(), 'nestjs-task-streams-case-'));
    const bench = new Bench(redis, url, through, new Ledger(path.join(dir, 'ledger')));
    onTestFinished(async () => {
      await bench.clear().catch(() => undefined);
      redis.disconnect();
      await rm(dir, { recursive: true, force: true });
    });
    return bench;
  }

  key(part: string): string {
    return `${this.prefix}:{${QUEUE}}:${part}`;
  }

  get stream(): string {
    return this.key('stream');
  }

  /** A Nest application in this process. */
  app(input: Omit<CaseAppInput, 'url' | 'prefix'> = {}): Promise<CaseApp> {
    return startCaseApp({ url: this.through, prefix: this.prefix, ...input });
  }

  /** A Nest application that only sends. */
  producer(words: CaseWords = {}): Promise<CaseApp> {
    return this.app({ words, isProducer: true });
  }

  worker({
    words = {},
    tasks = { job: {} },
    url = this.through,
    nodeArguments = [],
  }: WorkerInput = {}): Promise<WorkerProcess> {
    const setup = { options: productOptions(url, this.prefix, words), ledger: this.ledger.file, tasks };
    return WorkerProcess.start(setup, nodeArguments);
  }

  async remains(): Promise<Remains> {
    const [stream, delayed, pending] = await Promise.all([
      this.redis.xlen(this.stream),
      this.redis.zcard(this.key('delayed')),
      this.pending(),
    ]);
    return { stream, delayed, pending: pending.length };
  }

  /** Waits until nothing is left to do. */
  async drained(timeoutMs = 15_000): Promise<void> {
    await expect.poll(() => this.remains().catch(() => undefined), { timeout: timeoutMs }).toEqual(DRAINED);
  }

  async pending(): Promise<{ readonly entryId: string; readonly consumer: string; readonly deliveryCount: number }[]> {
    const rows = await this.redis.xpending(this.stream, 'workers', '-', '+', 10_000).catch(() => []);
    return (rows as [string, string, number, number][]).map(([entryId, consumer, , deliveryCount]) => ({
      entryId,
      consumer,
      deliveryCount,
    }));
  }

  async deadLetters(): Promise<RawLetter[]> {
    const entries = await this.redis.xrange(this.key('dead'), '-', '+');
    return entries.map(([, list]) => letterOf(list));
  }

  async consumers(): Promise<string[]> {
    const rows = (await this.redis.xinfo('CONSUMERS', this.stream, 'workers').catch(() => [])) as string[][];
    return rows.map((row) => row[1] ?? '');
  }

  /** Adds an entry as another program would: only these fields, in this order. */
  async xadd(fields: readonly (string | Buffer)[]): Promise<string> {
    return (await this.redis.xadd(this.stream, '*', ...(fields as string[]))) ?? '';
  }

  /** Hands waiting tasks to a consumer that never says a word again. */
  async takeAs(consumer: string, count: number): Promise<void> {
    await this.redis.xgroup('CREATE', this.stream, 'workers', '0', 'MKSTREAM').catch(() => undefined);
    await this.redis.xreadgroup('GROUP', 'workers', consumer, 'COUNT', count, 'STREAMS', this.stream, '>');
  }

  private async clear(): Promise<void> {
    let cursor = '0';
    do {
      const [next, keys] = await this.redis.scan(cursor, 'MATCH', `${this.prefix}:*`, 'COUNT', 1_000);
      if (keys.length > 0) await this.redis.unlink(keys);
      cursor = next;
    } while (cursor !== '0');
  }
}

/** A list of so many tasks of one name, for `enqueueMany`. */
export function many(count: number, payload: object = {}, idPrefix = 't', task = 'job') {
  return Array.from({ length: count }, (_, i) => ({ task, payload, options: { id: `${idPrefix}${i}`, queue: QUEUE } }));
}

import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import type { Order } from '../orders.js';
import type { SessionOptions } from '../side.js';
import { CLAIM, TURN } from './raw-scripts.js';

const LEASE_MS = 30_000;
const KEPT_S = 3_600;
const BLOCK_MS = 1_000;

interface RawClient extends Redis {
  turn(...args: readonly (string | number)[]): Promise<string[]>;
  claim(...args: readonly (string | number)[]): Promise<number[]>;
}

/** Two calls in flight, each for half of the slots: Redis works on one half while this process works on the other. */
export class RawLoop {
  readonly #token = `L:${randomUUID()}`;
  readonly #consumer = `raw:${process.pid}`;
  readonly #commands: RawClient;
  readonly #reader: RawClient;
  readonly #lane: number;
  #free: number;
  #calls = 0;
  #isBlocked = false;
  #isStopped = false;
  #isScheduled = false;
  #ended: string[] = [];

  constructor(
    private readonly stream: string,
    private readonly markers: string,
    private readonly options: SessionOptions,
  ) {
    this.#commands = this.#connect();
    this.#reader = this.#connect();
    this.#free = options.concurrency;
    this.#lane = Math.max(1, Math.ceil(options.concurrency / 2));
  }

  start(): void {
    this.#schedule();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#reader.disconnect();
    while (this.#calls > 0) await new Promise((resolve) => setImmediate(resolve));
    this.#commands.disconnect();
  }

  #connect(): RawClient {
    const client = new Redis(this.options.port, '127.0.0.1') as RawClient;
    client.defineCommand('turn', { numberOfKeys: 1, lua: TURN });
    client.defineCommand('claim', { numberOfKeys: 1, lua: CLAIM });
    return client;
  }

  #schedule(): void {
    if (this.#isScheduled || this.#isStopped) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#step();
    });
  }

  #step(): void {
    while (this.#calls < 2) {
      const count = this.#isBlocked ? 0 : Math.min(this.#free, this.#lane);
      const work = this.#ended.length / 3 + count;
      if (work === 0 || (this.#calls === 1 && work < this.#lane)) return;
      void this.#turn(count);
    }
  }

  async #turn(count: number): Promise<void> {
    const ended = this.#ended;
    this.#ended = [];
    this.#calls += 1;
    this.#free -= count;
    const settings = [this.#consumer, this.#token, LEASE_MS, KEPT_S, count, this.markers];
    const claimed = await this.#commands.turn(this.stream, ...settings, ...ended);
    this.#calls -= 1;
    this.#free += count - claimed.length / 3;
    for (let i = 0; i < claimed.length; i += 3) this.#run(claimed[i] ?? '', claimed[i + 1] ?? '', claimed[i + 2] ?? '');
    if (count > 0 && claimed.length === 0 && !this.#isBlocked) void this.#block();
    this.#schedule();
  }

  /** The slot is taken already. */
  #run(entry: string, id: string, body: string): void {
    void this.options.handle(JSON.parse(body) as Order).then((result) => {
      this.#ended.push(entry, id, `D:${JSON.stringify(result)}`);
      this.#free += 1;
      this.#schedule();
    });
  }

  async #block(): Promise<void> {
    this.#isBlocked = true;
    const entries = await this.#read(this.#free).catch(() => []);
    if (entries.length > 0) {
      const ids = entries.map(([, fields]) => fields[1] ?? '');
      const won = await this.#commands.claim(this.stream, this.#token, LEASE_MS, this.markers, ...ids);
      entries.forEach(([entry, fields], index) => {
        if (won[index] !== 1) return;
        this.#free -= 1;
        this.#run(entry, fields[1] ?? '', fields[3] ?? '');
      });
    }
    this.#isBlocked = false;
    this.#schedule();
  }

  async #read(count: number): Promise<[entry: string, fields: string[]][]> {
    const group = ['GROUP', 'workers', this.#consumer] as const;
    const reply = await this.#reader.xreadgroup(
      ...group,
      'COUNT',
      count,
      'BLOCK',
      BLOCK_MS,
      'STREAMS',
      this.stream,
      '>',
    );
    return (reply as [string, [string, string[]][]][] | null)?.[0]?.[1] ?? [];
  }
}

import { askRedis } from '../../../scripts/redis/index.mjs';
import { QUEUE } from '../worker/settings.js';

const SCAN_COUNT = '1000';
const GET_COUNT = 500;

export type RedisCommand = readonly string[];
type Reply = Awaited<ReturnType<typeof askRedis>>[number];

/** The keys of a queue, as the wire format names them. */
export function keysOf(queue: string) {
  const base = `ts:{${queue}}:`;
  return {
    stream: `${base}stream`,
    delayed: `${base}delayed`,
    dead: `${base}dead`,
    owners: `${base}owners`,
    heartbeat: `${base}heartbeat`,
    record: (id: string) => `${base}t:${id}`,
  } as const;
}

/** Those of the queue of most scenarios. */
export const KEYS = keysOf(QUEUE);

/** How much lies in a queue. */
export interface Depth {
  readonly stream: number;
  readonly pending: number;
  readonly delayed: number;
  readonly dead: number;
}

/** What the record of a task says. */
export interface SeenRecord {
  readonly state: string;
  /** As JSON. */
  readonly result: string | undefined;
  /** In milliseconds since 1970 by the clock of Redis. */
  readonly enqueuedAt: number;
}

const ENQUEUED_PART = 7;

function readRecord(text: string): SeenRecord {
  // The short form, of a task that waits and was never tried.
  const waiting = /^w(\d+)/.exec(text);
  if (waiting) return { state: 'waiting', result: undefined, enqueuedAt: Number(waiting[1]) };
  const [head = '', , , ...rest] = text.split('\n');
  const tail = rest.join('\n');
  const parts = head.split(' ');
  return {
    state: parts[0] ?? '',
    result: tail.startsWith('r') ? tail.slice(1) : undefined,
    enqueuedAt: Number(parts[ENQUEUED_PART]),
  };
}

/** Looks at the queue as a stranger would, over a connection of its own each time, so that no fault breaks it. */
export class QueueWatch {
  readonly #keys: ReturnType<typeof keysOf>;

  constructor(
    private readonly url: () => string | Promise<string>,
    queue: string = QUEUE,
  ) {
    this.#keys = keysOf(queue);
  }

  async ask(...commands: readonly RedisCommand[]): Promise<Reply[]> {
    return askRedis(await this.url(), commands, { timeoutMs: 20_000 });
  }

  async depth(): Promise<Depth> {
    const [stream, groups, delayed, dead] = await this.ask(
      ['XLEN', this.#keys.stream],
      ['XINFO', 'GROUPS', this.#keys.stream],
      ['ZCARD', this.#keys.delayed],
      ['XLEN', this.#keys.dead],
    );
    return { stream: count(stream), pending: pendingOf(groups), delayed: count(delayed), dead: count(dead) };
  }

  async isDrained(): Promise<boolean> {
    const { stream, pending, delayed } = await this.depth();
    return stream + pending + delayed === 0;
  }

  /** Entries ever added to the stream. */
  async entriesAdded(): Promise<number> {
    const [info] = await this.ask(['XINFO', 'STREAM', this.#keys.stream]);
    const fields = Array.isArray(info) ? info : [];
    return count(fields[fields.indexOf('entries-added') + 1] as Reply);
  }

  async consumers(): Promise<{ readonly name: string; readonly pending: number }[]> {
    const [rows] = await this.ask(['XINFO', 'CONSUMERS', this.#keys.stream, 'workers']);
    return (Array.isArray(rows) ? rows : []).map((row) => {
      const fields = row as (string | number)[];
      return {
        name: String(fields[fields.indexOf('name') + 1]),
        pending: Number(fields[fields.indexOf('pending') + 1]),
      };
    });
  }

  /** How many tasks the worker of a process has in its hands; its name says which process it is. */
  async inHandsOf(pid: number): Promise<number> {
    const own = (await this.consumers()).filter(({ name }) => name.includes(`:${pid}:`));
    return own.reduce((sum, { pending }) => sum + pending, 0);
  }

  /** The state in the record of each task; without an entry where there is no record. */
  async states(ids: readonly string[]): Promise<Map<string, string>> {
    return new Map([...(await this.records(ids))].map(([id, { state }]) => [id, state]));
  }

  /** What the record of each task says; without an entry where there is no record. */
  async records(ids: readonly string[]): Promise<Map<string, SeenRecord>> {
    const records = new Map<string, SeenRecord>();
    for (let first = 0; first < ids.length; first += GET_COUNT) {
      const part = ids.slice(first, first + GET_COUNT);
      const [texts] = await this.ask(['MGET', ...part.map((id) => this.#keys.record(id))]);
      (Array.isArray(texts) ? texts : []).forEach((text, i) => {
        const id = part[i];
        if (typeof text === 'string' && id !== undefined) records.set(id, readRecord(text));
      });
    }
    return records;
  }

  /** Every key of the server. */
  async keys(): Promise<string[]> {
    const found: string[] = [];
    let cursor = '0';
    do {
      const [reply] = await this.ask(['SCAN', cursor, 'COUNT', SCAN_COUNT]);
      const [next, keys] = reply as [string, string[]];
      found.push(...keys);
      cursor = next;
    } while (cursor !== '0');
    return found;
  }

  /** Which of these keys would stay for ever. */
  async withoutExpiry(keys: readonly string[]): Promise<string[]> {
    const found: string[] = [];
    for (let first = 0; first < keys.length; first += GET_COUNT) {
      const part = keys.slice(first, first + GET_COUNT);
      const replies = await this.ask(...part.map((key) => ['PTTL', key]));
      found.push(...part.filter((_, i) => replies[i] === -1));
    }
    return found;
  }

  async usedMemory(): Promise<number> {
    const [info] = await this.ask(['INFO', 'memory']);
    return Number(/used_memory:(\d+)/.exec(String(info))?.[1]);
  }
}

function count(reply: Reply | undefined): number {
  if (typeof reply === 'number') return reply;
  throw new Error(`Not a number: ${String(reply)}`);
}

/** A stream that is not there, or has no group, has nothing pending. */
function pendingOf(groups: Reply | undefined): number {
  if (!Array.isArray(groups)) return 0;
  return groups.reduce<number>((sum, row) => {
    const fields = row as (string | number)[];
    return sum + Number(fields[fields.indexOf('pending') + 1]);
  }, 0);
}

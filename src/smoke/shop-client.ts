import { isFinalState } from 'nestjs-task-streams';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import type { Accepted } from '../tasks/accepted.js';
import type { TaskView } from '../tasks/task-view.js';
import { until } from './until.js';

const REQUEST_TIMEOUT_MS = 10_000;
const DOWNLOAD_TIMEOUT_MS = 60_000;

export interface Reply<T> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: T;
}

export interface RequestOptions {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a downloaded file holds, counted without keeping it. */
export interface FileLines {
  readonly count: number;
  readonly first: string;
  readonly last: string;
}

/** The shop as a client of its HTTP interface sees it. Every wait is bounded. */
export class ShopClient {
  constructor(readonly url: string) {}

  async send<T>(method: string, path: string, { body, headers }: RequestOptions = {}): Promise<Reply<T>> {
    const response = await fetch(new URL(path, this.url), {
      method,
      headers: { ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') ?? false;
    return { status: response.status, headers: response.headers, body: (isJson ? JSON.parse(text) : text) as T };
  }

  /** Reads what is there; throws the problem where it is not. */
  async get<T>(path: string): Promise<T> {
    return (await this.#expect<T>(200, 'GET', path)).body;
  }

  /** Has work accepted. */
  async post(path: string, body?: unknown): Promise<Accepted> {
    return (await this.#expect<Accepted>(202, 'POST', path, { body })).body;
  }

  /** Sets something at once. */
  async set<T>(method: 'POST' | 'PUT', path: string, body: unknown): Promise<T> {
    return (await this.#expect<T>(200, method, path, { body })).body;
  }

  /** Waits until a task has ended, however it ended. */
  async ended<T extends Pick<TaskView, 'state'> = TaskView>(path: string, timeoutMs: number): Promise<T> {
    let last: T | undefined;
    const probe = async (): Promise<T | undefined> => {
      last = await this.get<T>(path);
      return isFinalState(last.state) ? last : undefined;
    };
    return until(`the end of ${path}`, probe, timeoutMs).catch((error: unknown) => {
      throw new Error(`${String(error)}; last seen: ${JSON.stringify(last)}`, { cause: error });
    });
  }

  /** Downloads a file line by line. */
  async lines(path: string): Promise<FileLines> {
    const response = await fetch(new URL(path, this.url), { signal: AbortSignal.timeout(DOWNLOAD_TIMEOUT_MS) });
    if (!response.ok || !response.body)
      throw new Error(`GET ${path} answered ${response.status}: ${await response.text()}`);
    const seen = { count: 0, first: '', last: '' };
    for await (const line of createInterface({ input: Readable.fromWeb(response.body) })) {
      if (seen.count === 0) seen.first = line;
      seen.last = line;
      seen.count += 1;
    }
    return seen;
  }

  async #expect<T>(status: number, method: string, path: string, options?: RequestOptions): Promise<Reply<T>> {
    const reply = await this.send<T>(method, path, options);
    if (reply.status === status) return reply;
    throw new Error(`${method} ${path} answered ${reply.status}, not ${status}: ${JSON.stringify(reply.body)}`);
  }
}

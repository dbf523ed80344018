import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { askRedis, findRedisServer } from '../../../scripts/redis/index.mjs';
import type { TestRedis } from '../redis-server.js';
import { FORM_MS, type Grounds } from './grounds.js';

/** What the Sentinels call the primary they watch. */
export const SENTINEL_NAME = 'main';

export interface SentinelOptions {
  readonly replicas: number;
  readonly sentinels: number;
  /** Arguments of the servers, but not of the Sentinels. */
  readonly extraArgs?: readonly string[];
  readonly isAppendOnly?: boolean;
  /** Milliseconds between two fail-overs that Sentinel begins by itself are twice as many. */
  readonly failoverTimeoutMs?: number;
}

/** A primary, its replicas, and the Sentinels that watch them, on the loopback interface. */
export class SentinelServers {
  private constructor(
    private readonly grounds: Grounds,
    /** The primary of the beginning, and then its replicas. */
    readonly servers: readonly TestRedis[],
    readonly sentinels: readonly TestRedis[],
  ) {}

  static async start(grounds: Grounds, options: SentinelOptions): Promise<SentinelServers> {
    const { replicas, sentinels, isAppendOnly: appendOnly = false } = options;
    const extraArgs = ['--repl-diskless-sync-delay', '0', ...(options.extraArgs ?? [])];
    const primary = await grounds.start({ extraArgs, appendOnly });
    const following = [...extraArgs, '--replicaof', `127.0.0.1 ${primary.port}`];
    const others = await times(replicas, () => grounds.start({ extraArgs: following, appendOnly }));
    for (const { url } of others) await grounds.until('a replica to follow', () => isFollowing(url), FORM_MS);
    const watching = await times(sentinels, () => startSentinel(grounds, primary.port, options));
    const ready = `status=ok,address=127.0.0.1:${primary.port},slaves=${replicas},sentinels=${sentinels}`;
    for (const { url } of watching) {
      const knows = async () => (await ask(url, ['INFO', 'sentinel'])).includes(ready);
      await grounds.until('a Sentinel to know all others', knows, FORM_MS);
    }
    return new SentinelServers(grounds, [primary, ...others], watching);
  }

  /** What an application says to connect to them. */
  get connection(): {
    readonly sentinels: readonly { readonly host: string; readonly port: number }[];
    readonly name: string;
  } {
    return { sentinels: this.sentinels.map(({ port }) => ({ host: '127.0.0.1', port })), name: SENTINEL_NAME };
  }

  /** The server that one of the Sentinels names, by default the last one. */
  async current(sentinel = this.sentinels.at(-1)): Promise<TestRedis> {
    const [reply] = await askRedis(sentinel?.url ?? '', [['SENTINEL', 'GET-MASTER-ADDR-BY-NAME', SENTINEL_NAME]]);
    const [, port] = reply as readonly string[];
    const named = this.servers.find((server) => server.port === Number(port));
    if (!named) throw new Error(`a Sentinel names port ${port}, which is none of the servers`);
    return named;
  }

  /** Makes the replica a primary, and Sentinels name it, without a word of theirs, and without a word to the old one. */
  async moveSilently(sentinels = this.sentinels): Promise<TestRedis> {
    const [, next] = this.servers as readonly [TestRedis, TestRedis];
    await ask(next.url, ['REPLICAOF', 'NO', 'ONE']);
    const monitor = ['SENTINEL', 'MONITOR', SENTINEL_NAME, '127.0.0.1', String(next.port), '1'];
    const said = await Promise.all(
      sentinels.map(({ url }) => askRedis(url, [['SENTINEL', 'REMOVE', SENTINEL_NAME], monitor])),
    );
    if (said.flat().some((reply) => reply !== 'OK')) throw new Error(`Sentinels answered ${String(said)}`);
    return next;
  }

  /** Asks for a planned fail-over, of which nothing has happened yet. */
  async beginFailOver(): Promise<void> {
    let reply = '';
    // On a busy machine a Sentinel may not have heard of the replica for a while.
    const isAnswered = async () => {
      reply = await ask(this.sentinels.at(-1)?.url ?? '', ['SENTINEL', 'FAILOVER', SENTINEL_NAME]);
      return !/NOGOODSLAVE|INPROG/.test(reply);
    };
    await this.grounds.until('Sentinel to find a replica to promote', isAnswered, FORM_MS);
    if (reply !== 'OK') throw new Error(`Sentinel does not fail over: ${reply}`);
  }

  /** Resolves when all of these Sentinels name another primary. */
  async switchedFrom(primary: TestRedis, sentinels = this.sentinels): Promise<void> {
    const isSwitched = async () =>
      (await Promise.all(sentinels.map((one) => this.current(one)))).every(({ port }) => port !== primary.port);
    await this.grounds.until('the Sentinels to name another primary', isSwitched, FORM_MS);
  }
}

/** Whether it is a replica that hears its primary. */
export async function isFollowing(url: string): Promise<boolean> {
  return /master_link_status:up/.test(await ask(url, ['INFO', 'replication']));
}

function times<T>(count: number, make: () => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, make));
}

async function ask(url: string, command: readonly string[]): Promise<string> {
  const [reply] = await askRedis(url, [command]);
  return String(reply);
}

/** A Sentinel keeps what it learns in its configuration, so it must have a file. */
async function startSentinel(grounds: Grounds, primaryPort: number, options: SentinelOptions): Promise<TestRedis> {
  const dir = await mkdtemp(path.join(tmpdir(), 'nestjs-task-streams-sentinel-'));
  grounds.onClose(() => rm(dir, { recursive: true, force: true }));
  const file = path.join(dir, 'sentinel.conf');
  const quorum = Math.floor(options.sentinels / 2) + 1;
  const lines = [
    `sentinel monitor ${SENTINEL_NAME} 127.0.0.1 ${primaryPort} ${quorum}`,
    `sentinel down-after-milliseconds ${SENTINEL_NAME} 1000`,
    `sentinel failover-timeout ${SENTINEL_NAME} ${options.failoverTimeoutMs ?? 5_000}`,
  ];
  await writeFile(file, lines.join('\n'));
  const server = await findRedisServer();
  return grounds.start({ server: { ...server, args: [...server.args, file, '--sentinel'] } });
}

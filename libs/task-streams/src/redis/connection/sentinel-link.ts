import { Redis, type RedisOptions } from 'ioredis';
import { SENTINEL_CHANNELS } from './sentinel-messages.js';

const ANSWER_TIMEOUT_MS = 500;
const SILENCE_MS = 3_000;
const LONGEST_PAUSE_MS = 2_000;

/** Where a Sentinel is. */
export interface SentinelPlace {
  readonly host: string;
  readonly port: number;
}

/** What of the options of a client says how its Sentinels are reached. */
export type SentinelOptions = Pick<
  RedisOptions,
  | 'sentinels'
  | 'name'
  | 'sentinelUsername'
  | 'sentinelPassword'
  | 'sentinelTLS'
  | 'family'
  | 'natMap'
  | 'updateSentinels'
>;

/** One Sentinel: a connection that listens, and one that asks, because a connection that listens may not ask. */
export class SentinelLink {
  private readonly listener: Redis;
  private readonly asker: Redis;

  constructor(
    place: SentinelPlace,
    private readonly options: SentinelOptions,
    onMessage: (channel: string, message: string) => void,
  ) {
    this.listener = connect(place, options);
    this.asker = connect(place, options, ANSWER_TIMEOUT_MS);
    this.listener.on('message', onMessage);
    // One by one: a user may be allowed some channels only. After a reconnect ioredis does it again.
    for (const channel of SENTINEL_CHANNELS) this.listener.subscribe(channel).catch(() => undefined);
  }

  /** The address of the primary as this Sentinel sees it, `undefined` where it does not answer. */
  async primary(): Promise<string | undefined> {
    const reply = await this.ask<readonly string[] | null>('get-master-addr-by-name');
    return reply ? reply.join(':') : undefined;
  }

  /** The other Sentinels it knows. */
  async others(): Promise<SentinelPlace[]> {
    const rows = (await this.ask<readonly (readonly string[])[]>('sentinels')) ?? [];
    return rows.map((row) => {
      const value = (name: string) => row[row.indexOf(name) + 1] ?? '';
      return translated({ host: value('ip'), port: Number(value('port')) }, this.options);
    });
  }

  close(): void {
    this.listener.disconnect();
    this.asker.disconnect();
  }

  private async ask<T>(question: string): Promise<T | undefined> {
    // A listener whose Sentinel is gone without a word would listen for ever.
    if (this.listener.status === 'ready') this.listener.ping().catch(() => undefined);
    // Given to a client without a connection it would wait for one.
    if (this.asker.status !== 'ready') return undefined;
    return this.asker.call('sentinel', question, this.options.name ?? '').then(
      (reply) => reply as T,
      () => undefined,
    );
  }
}

/** Where clients of this process find a place that a Sentinel names. */
export function translated(place: SentinelPlace, { natMap }: SentinelOptions): SentinelPlace {
  const key = `${place.host}:${place.port}`;
  return (typeof natMap === 'function' ? natMap(key) : natMap?.[key]) ?? place;
}

function connect({ host, port }: SentinelPlace, options: SentinelOptions, commandTimeout?: number): Redis {
  const { sentinelUsername, sentinelPassword, sentinelTLS, family } = options;
  const client = new Redis({
    host,
    port,
    protocol: 2,
    maxRetriesPerRequest: commandTimeout === undefined ? null : 0,
    enableReadyCheck: false,
    retryStrategy: (attempt) => Math.min(attempt * 100, LONGEST_PAUSE_MS),
    disconnectTimeout: 200,
    socketTimeout: SILENCE_MS,
    commandTimeout,
    username: sentinelUsername ?? undefined,
    password: sentinelPassword ?? undefined,
    tls: sentinelTLS,
    family,
  });
  // A Sentinel that does not answer is no trouble while another does; what becomes of the primary is told by the clients.
  client.on('error', () => undefined);
  return client;
}

import type { ClaimReply, QueueCondition, TaskSource } from '../contracts/broker.interface.js';
import { decodeDeliveries, type KnownFields } from './decode-delivery.js';
import { FORMAT_VERSION } from './format-version.js';
import { GROUP } from './queue-keys.js';
import { ReaderConnection } from './reader-connection.js';
import type { RedisSession } from './redis-session.js';

const RECOVER_SCAN_COUNT = 1_000;

type StreamReply = readonly (readonly [string, readonly (readonly [string, readonly string[]])[]])[] | null;

/** Hands tasks out. */
export class RedisSource implements TaskSource {
  private readonly readers = new Map<string, ReaderConnection>();

  constructor(private readonly session: RedisSession) {}

  async ensureQueue(queue: string): Promise<QueueCondition> {
    const [, paused] = (await this.session.run('ensure', queue, [FORMAT_VERSION])) as [number, number];
    return { isPaused: paused === 1 };
  }

  async waitAndRead(queue: string, max: number): Promise<ClaimReply> {
    const { blockMs } = this.session.options;
    const stream = this.session.keys(queue).stream;
    // prettier-ignore
    const reply = (await this.reader(queue).block((client) => client.xreadgroup(
      'GROUP', GROUP, this.session.identity.name, 'COUNT', max, 'BLOCK', blockMs, 'STREAMS', stream, '>',
    ))) as StreamReply | undefined;
    const entries = new Map(reply?.[0]?.[1]);
    return this.claim(queue, [...entries.keys()], entries);
  }

  async recover(queue: string, known: ReadonlySet<string>, max: number): Promise<ClaimReply> {
    const { stream } = this.session.keys(queue);
    const { name } = this.session.identity;
    const rows = (await this.session.command(queue, (client) =>
      client.xpending(stream, GROUP, '-', '+', RECOVER_SCAN_COUNT, name),
    )) as readonly (readonly [string, string, number, number])[];
    const unseen = rows.filter(([id]) => !known.has(id)).map(([id]) => id);
    return this.claim(queue, unseen.slice(0, max));
  }

  async interrupt(queue: string): Promise<void> {
    const reader = this.readers.get(queue);
    if (reader && !(await reader.unblock())) reader.drop();
  }

  /** @param fields Those that are here already: they do not travel again. */
  private async claim(queue: string, entryIds: readonly string[], fields?: KnownFields): Promise<ClaimReply> {
    const sentAt = performance.now();
    if (entryIds.length === 0) return { deliveries: [], blocked: [], sentAt };
    const claim = this.session.identity.nextClaim();
    const args = [this.session.identity.name, claim, fields ? 1 : 0, ...entryIds];
    const [now, rows, blocked] = (await this.session.run('claim', queue, args)) as [string, unknown, string[]];
    return { deliveries: decodeDeliveries({ queue, claim, now }, rows, fields), blocked, sentAt };
  }

  private reader(queue: string): ReaderConnection {
    let reader = this.readers.get(queue);
    if (!reader) {
      reader = new ReaderConnection(this.session.route('reader', queue), this.session.connections.servers);
      this.readers.set(queue, reader);
    }
    return reader;
  }
}

import type { ClaimReply, QueueCondition, TaskSource } from '../contracts/broker.interface.js';
import { decodeDeliveries, type KnownFields } from './decode-delivery.js';
import { FORMAT_VERSION } from './format-version.js';
import { GROUP } from './queue-keys.js';
import { ReaderConnection } from './reader-connection.js';
import type { RedisSession } from './redis-session.js';
import { whenReady } from './when-ready.js';

const RECOVER_SCAN_COUNT = 1_000;
const READY_TIMEOUT_MS = 2_000;
/** As in owners.lua. */
const HANDED_BACK_IDLE_MS = 864_000_000;

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
    const reader = this.reader(queue);
    const { blockMs } = this.session.options;
    const stream = this.session.keys(queue).stream;
    const { client } = reader;
    // prettier-ignore
    const reply = (await reader.block(() => whenReady(client, READY_TIMEOUT_MS), () => client.xreadgroup(
      'GROUP', GROUP, this.session.identity.name, 'COUNT', max, 'BLOCK', blockMs, 'STREAMS', stream, '>',
    ))) as StreamReply | undefined;
    const entries = new Map(reply?.[0]?.[1]);
    return this.claim(queue, [...entries.keys()], entries);
  }

  async recover(queue: string, known: ReadonlySet<string>, max: number): Promise<ClaimReply> {
    const client = await this.session.command();
    const { stream } = this.session.keys(queue);
    const rows = (await client.xpending(
      stream,
      GROUP,
      '-',
      '+',
      RECOVER_SCAN_COUNT,
      this.session.identity.name,
    )) as readonly (readonly [string, string, number, number])[];
    // What this worker handed back is under its name still, for a sweep to take.
    const unseen = rows.filter(([id, , idleMs]) => !known.has(id) && idleMs < HANDED_BACK_IDLE_MS).map(([id]) => id);
    return this.claim(queue, unseen.slice(0, max));
  }

  async interrupt(queue: string): Promise<void> {
    const reader = this.readers.get(queue);
    if (reader && !(await reader.unblock())) this.drop(queue);
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
      const client = this.session.connections.get('reader', queue);
      reader = new ReaderConnection(client, () => this.session.connections.get('command'));
      this.readers.set(queue, reader);
    }
    return reader;
  }

  private drop(queue: string): void {
    this.readers.delete(queue);
    this.session.connections.drop('reader', queue);
  }
}

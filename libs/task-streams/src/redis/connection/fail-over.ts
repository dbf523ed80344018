import type { ConnectionRole } from '../../options/task-streams-options.js';
import { Hold, putUnder } from './hold.js';
import { PeerCheck } from './peer-check.js';
import type { SentinelOptions, SentinelPlace } from './sentinel-link.js';
import { SentinelWatch } from './sentinel-watch.js';
import { readRole } from './read-role.js';
import type { RedisClient } from './redis-client.js';

const CHECK_EACH_MS = 1_000;
/** How often connections are made again while their address leads to a replica. */
const LONGEST_CHECK_MS = 8_000;
const LEAVE_AGAIN_MS = 500;

/** The clients that a fail-over concerns: a client of a Cluster follows by itself. */
type PlainClient = Exclude<RedisClient, { nodes: unknown }>;

/**
 * Makes every connection of a process leave a primary that is none any more, idle ones too, as soon as one thing tells of
 * it: a Sentinel, a reply of the class `topology` on any connection, or ROLE, which each connection that does not block is
 * asked each second. A replica answers reads from what it has, so that alone shows nothing. A connection that was made in the
 * middle of a fail-over shows nothing either: its server is a primary still. The address tells it.
 */
export class FailOver {
  private readonly hold = new Hold();
  private readonly peers = new PeerCheck();
  private readonly open = new Map<PlainClient, ConnectionRole>();
  private sentinels: SentinelWatch | undefined;
  private timer: NodeJS.Timeout | undefined;
  private checkMs = CHECK_EACH_MS;
  private leftAt = -Infinity;
  private isClosed = false;

  /** Looks after a client from its first connection on. */
  watch(client: RedisClient, role: ConnectionRole): void {
    if ('nodes' in client) return;
    putUnder(this.hold, client);
    const add = () => this.add(client, role);
    client.on('connecting', add);
    client.on('end', () => this.open.delete(client));
    if (client.status !== 'wait') add();
  }

  /** A connection was told that its server is a primary no more. The client that was told leaves by itself. */
  noteDemotion(): void {
    if (performance.now() - this.leftAt >= LEAVE_AGAIN_MS) this.leave();
  }

  close(): void {
    this.isClosed = true;
    clearTimeout(this.timer);
    this.sentinels?.close();
    this.hold.end();
    this.open.clear();
  }

  private add(client: PlainClient, role: ConnectionRole): void {
    if (this.isClosed) return;
    this.open.set(client, role);
    this.timer ??= this.checkLater();
    const options = (client.options ?? {}) as SentinelOptions;
    if (this.sentinels || !options.sentinels?.length || !options.name) return;
    this.sentinels = new SentinelWatch(options, {
      onBegin: (why) => this.hold.begin(why),
      onEnd: () => this.hold.end(),
      onMoved: () => {
        this.leave();
        // A client counts as ready until it has seen its socket close: what waits must not be given to it before.
        setImmediate(() => this.hold.end());
      },
      onNamed: (primary) => void this.leaveOthers(primary),
    });
  }

  private checkLater(): NodeJS.Timeout {
    return setTimeout(() => void this.check(), this.checkMs).unref();
  }

  /** Never rejects. */
  private async check(): Promise<void> {
    const asked = [...this.open].filter(([client, role]) => role !== 'reader' && client.status === 'ready');
    // What the connection itself suffers is told by those who use it.
    const roles = await Promise.all(asked.map(([client]) => readRole(client).catch(() => 'unknown' as const)));
    if (this.isClosed) return;
    const isDemoted = roles.includes('replica');
    if (isDemoted) this.leave();
    this.checkMs = isDemoted ? Math.min(this.checkMs * 2, LONGEST_CHECK_MS) : CHECK_EACH_MS;
    this.timer = this.checkLater();
  }

  /** Leaves connections to any other server than this one. Never rejects. */
  private async leaveOthers(primary: SentinelPlace): Promise<void> {
    for (const client of this.open.keys()) {
      const { status, stream } = client;
      const isOpen = status === 'ready' || status === 'connect';
      if (isOpen && (await this.peers.isElsewhere(client, stream, primary)) && stream === client.stream)
        leaveServer(client);
    }
  }

  private leave(): void {
    this.leftAt = performance.now();
    for (const client of this.open.keys()) leaveServer(client);
  }
}

/** Connects anew. What is in flight rejects at once: the answer of a server that was replaced is worth nothing. */
function leaveServer(client: PlainClient): void {
  if (client.status === 'connecting') {
    // It may have been told the old address.
    client.once('connect', () => leaveServer(client));
    return;
  }
  if (client.status !== 'ready' && client.status !== 'connect') return;
  const { stream } = client;
  client.disconnect(true);
  stream.destroy();
}

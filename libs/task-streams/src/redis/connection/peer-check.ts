import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { SentinelPlace } from './sentinel-link.js';

/** A client may be told the old address this often; a name that its connections never have must not part it for ever. */
const MOST_TIMES = 3;

/** The other end of a connection. */
interface Peer {
  readonly remoteAddress?: string | undefined;
  readonly remotePort?: number | undefined;
}

/**
 * Tells which connections lead to another server than the Sentinels name. A client that connected while they did not agree yet may
 * have been told the old primary, and that one goes on as a primary until somebody tells it.
 */
export class PeerCheck {
  private told = new WeakMap<object, number>();
  private named = '';

  /** Whether this connection of a client is to be left. */
  async isElsewhere(client: object, peer: Peer, place: SentinelPlace): Promise<boolean> {
    const { remoteAddress, remotePort } = peer;
    if (remoteAddress === undefined || remotePort === undefined) return false;
    if (remotePort === place.port && !(await isOtherHost(remoteAddress, place.host))) return false;
    return this.countOf(client, place) <= MOST_TIMES;
  }

  private countOf(client: object, { host, port }: SentinelPlace): number {
    const named = `${host}:${port}`;
    if (named !== this.named) this.told = new WeakMap();
    this.named = named;
    const count = (this.told.get(client) ?? 0) + 1;
    this.told.set(client, count);
    return count;
  }
}

/** False where it cannot be told. */
async function isOtherHost(address: string, host: string): Promise<boolean> {
  if (isIP(host)) return plain(address) !== plain(host);
  const known = await lookup(host, { all: true }).catch(() => []);
  return known.length > 0 && !known.some((one) => plain(one.address) === plain(address));
}

/** Without the form in which a socket of both families shows an address of version 4. */
function plain(address: string): string {
  return address.replace(/^::ffff:/i, '').toLowerCase();
}

import type { Delivery, LeaseBroker, LeaseRenewal, ReclaimReply } from '../contracts/broker.interface.js';
import type { WorkerLoad } from '../contracts/queue-catalog.interface.js';
import { decodeCancelMark, type CancelRequest } from '../task/cancel-request.js';
import { LIBRARY_VERSION } from '../task/library-version.js';
import { decodeDeliveries } from './decode-delivery.js';
import type { RedisSession } from './redis-session.js';

/** What reclaim.lua returns. */
type ReclaimRows = readonly [string, unknown, readonly string[], string, number, number, readonly string[]];

/** Keeps what is running, and takes over what nobody keeps. */
export class RedisLeases implements LeaseBroker {
  private readonly startedAt = Date.now();

  constructor(private readonly session: RedisSession) {}

  async renew(queue: string, leases: readonly LeaseRenewal[], load?: WorkerLoad): Promise<(boolean | CancelRequest)[]> {
    const args = leases.flatMap(({ owner, keyScope }) => [owner.entryId, owner.token, keyScope ?? '']);
    const { identity, options } = this.session;
    const replies = (await this.session.run('renew', queue, [
      identity.name,
      options.leaseMs,
      this.heartbeat(load),
      ...args,
    ])) as unknown[];
    // An error on one key is no proof that the task was taken over: it is renewed again at the next turn.
    return replies.map((reply) => (Array.isArray(reply) ? decodeCancelMark(reply[0] as string) : reply !== 0));
  }

  /** What this worker says of itself. */
  private heartbeat(load: WorkerLoad | undefined): string {
    if (load === undefined) return '';
    const { running, concurrency } = load;
    const { leaseMs } = this.session.options;
    return JSON.stringify({ version: LIBRARY_VERSION, running, concurrency, leaseMs, startedAt: this.startedAt });
  }

  async prune(queue: string, idleMs: number): Promise<number> {
    return (await this.session.run('prune', queue, [this.session.identity.name, idleMs])) as number;
  }

  async begin(suspect: Delivery, deliveryCount: number): Promise<boolean> {
    const args = [this.session.identity.name, suspect.entryId, suspect.token, deliveryCount];
    return (await this.session.run('begin', suspect.queue, args)) === 1;
  }

  async reclaim(queue: string, max: number, cursor: string): Promise<ReclaimReply> {
    const { identity, options } = this.session;
    const claim = identity.nextClaim();
    const sentAt = performance.now();
    const { leaseMs, crashLimit, retention } = options;
    const suspectCount = Math.max(crashLimit, 2);
    const args = [identity.name, max, claim, leaseMs, cursor, identity.name, suspectCount, retention.deadLettersMs];
    const reply = (await this.session.run('reclaim', queue, args)) as ReclaimRows;
    const [now, rows, blocked, next, deletedCount, graceMs, previousOwners] = reply;
    const deliveries = decodeDeliveries({ queue, claim, now }, rows);
    return { deliveries, blocked, sentAt, cursor: next, deletedCount, graceMs, previousOwners };
  }
}

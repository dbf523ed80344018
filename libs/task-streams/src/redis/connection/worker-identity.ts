import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';

/**
 * Who this process is. Never shared and never cut: two processes under one consumer name would take each other's tasks
 * for their own, and containers share host names and process ids.
 */
export class WorkerIdentity {
  private readonly nonce = randomBytes(6).toString('hex');
  private sequence = 0;

  /** The name of the consumer in Redis and of the worker in attempt histories. */
  readonly name = `${hostname()}:${process.pid}:${this.nonce}`;

  constructor(private readonly leaseMs: number) {}

  /** What the tokens of one claim begin with; nobody has used it before. It says how long its leases are. */
  nextClaim(): string {
    this.sequence += 1;
    return `${this.nonce}.${this.sequence}.${this.leaseMs}`;
  }
}

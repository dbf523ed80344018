import type { RedisStreamsServer, WorkerEvent } from 'nestjs-task-streams';
import type { LedgerWriter } from '../harness/ledger.js';
import { isChosen } from '../harness/random.js';
import { QUEUE, type KillPlan, type KillPoint } from './settings.js';

type Handed = Extract<WorkerEvent, { kind: 'started' | 'reclaimed' }>['delivery'];

/** Writes what this worker is handed and what its settlements come to, and kills it where the plan says so. */
export class Witness {
  /** What is under way, by task and hand-out, for the lines of the handler. */
  readonly #handed = new Map<string, { readonly entryId: string; readonly fence: string }>();

  constructor(
    readonly ledger: LedgerWriter,
    private readonly plan: KillPlan | undefined,
  ) {}

  listen(server: RedisStreamsServer): void {
    server.on('started', ({ delivery }) => this.#handout('handout', delivery));
    server.on('reclaimed', ({ delivery }) => this.#handout('reclaimed', delivery));
    server.on('lease-lost', ({ delivery }) => this.#handout('lease-lost', delivery));
    server.on('abandoned', ({ delivery }) => this.#handout('abandoned', delivery));
    server.on('settled', ({ delivery, outcome, reply }) => {
      const { taskId: id, token: fence, deliveryCount } = delivery;
      const entryId = placeOf(delivery);
      this.#handed.delete(`${id}/${deliveryCount}`);
      this.ledger.write({ kind: 'settle', id, entryId, fence, outcome: outcome.kind, reply: reply.kind });
      if (outcome.kind === 'complete' && reply.kind === 'done') this.killAt('after-ack', id, deliveryCount);
    });
  }

  /** The entry and the fence under which a task runs here. */
  ownership(id: string, deliveries: number): { readonly entryId?: string; readonly fence?: string } {
    return this.#handed.get(`${id}/${deliveries}`) ?? {};
  }

  /** Ends this process at once, where the plan has chosen this task and this point. */
  killAt(point: KillPoint, id: string, deliveries: number): void {
    const { plan } = this;
    if (plan?.point !== point || deliveries !== 1 || !isChosen(id, plan.share, plan.seed)) return;
    this.ledger.write({ kind: 'kill', id, point });
    process.kill(process.pid, 'SIGKILL');
  }

  #handout(kind: 'handout' | 'reclaimed' | 'lease-lost' | 'abandoned', delivery: Handed): void {
    const { taskId: id, token: fence, deliveryCount: deliveries } = delivery;
    const entryId = placeOf(delivery);
    if (kind === 'handout' || kind === 'reclaimed') this.#handed.set(`${id}/${deliveries}`, { entryId, fence });
    this.ledger.write({ kind, id, entryId, fence, deliveries });
  }
}

/** Entries of several queues can have the same id. */
function placeOf({ queue, entryId }: Handed): string {
  return queue === QUEUE ? entryId : `${queue} ${entryId}`;
}

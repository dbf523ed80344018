import { randomBytes } from 'node:crypto';
import type { DeadLetterBatch } from '../../../libs/task-streams/src/contracts/dead-letter-store.interface.js';
import { DeadLetterService } from '../../../libs/task-streams/src/dead-letters/dead-letter.service.js';
import { resolveOptions } from '../../../libs/task-streams/src/options/resolve-options.js';
import { CheckedPayloads } from '../../../libs/task-streams/src/producer/checked-payloads.js';
import { TaskCatalog } from '../../../libs/task-streams/src/producer/task-catalog.js';
import { fingerprintOf, traitsOf } from '../../../libs/task-streams/src/policy/failure-group.js';
import type { TestBroker } from './test-broker.js';
import type { DeadLetterReason } from '../../../libs/task-streams/src/task/dead-letter.js';
import type { EnqueueItem } from '../../../libs/task-streams/src/task/task-outcome.js';
import { decodeMeta } from '../../../libs/task-streams/src/task/task-meta.js';
import type { Delivery, Retention } from '../../../libs/task-streams/src/contracts/work-store.interface.js';
import { deliver } from './open-broker.js';
import { deadLetter, settlement } from './settlements.js';

/** A batch of one item, of an operation of its own. */
export function batchOf<T>(...items: readonly T[]): DeadLetterBatch<T> {
  const operation = randomBytes(6).toString('hex');
  const action = { action: 'test', actor: 'spec', reason: '', scope: null, operation };
  return { action, number: 1, auditId: undefined, counts: {}, items };
}

export interface Death {
  readonly reason?: DeadLetterReason;
  readonly error?: { readonly name: string; readonly message: string };
  readonly retention?: Partial<Retention>;
}

/** Appends tasks, hands them out, and sets every one of them aside. */
export async function die(
  broker: TestBroker,
  queue: string,
  items: readonly EnqueueItem[],
  death: Death = {},
): Promise<void> {
  await settleAsDead(broker, queue, await deliver(broker, queue, ...items), death);
}

/** Sets deliveries aside as a worker does. */
export async function settleAsDead(
  broker: TestBroker,
  queue: string,
  deliveries: readonly Delivery[],
  { reason = 'attempts-exhausted', error = { name: 'Error', message: 'boom' }, retention = {} }: Death = {},
): Promise<void> {
  const settlements = deliveries.map((one) => {
    const { redriveCount, redrives = [] } = decodeMeta(one.fields[one.fields.indexOf('meta') + 1]);
    const fingerprint = fingerprintOf(traitsOf(one.name, error));
    return settlement(one, deadLetter(reason, { error, fingerprint, redriveCount, redrives }), { retention });
  });
  await broker.settle(queue, settlements);
}

/** The service as a program without Nest makes it. */
export function serviceOf(broker: Pick<TestBroker, 'deadLetters' | 'queues'>): DeadLetterService {
  return new DeadLetterService(broker, new CheckedPayloads(new TaskCatalog(), resolveOptions({}).limits));
}

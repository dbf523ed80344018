import type { Response } from 'express';
import type { TaskReceipt } from 'nestjs-task-streams';
import { pathOfTask, type ShopQueue } from './shop-queues.js';

/** The body of a 202: the work is accepted, and this is where to see it. */
export interface Accepted {
  readonly id: string;
  readonly state: string;
  /** True when this very request was accepted before and nothing was added. */
  readonly replayed: boolean;
  readonly durability: TaskReceipt['durability'];
  readonly links: { readonly self: string };
}

/** Says where an accepted task can be watched, and when it is worth looking. */
export function accepted(response: Response, queue: ShopQueue, receipt: TaskReceipt): Accepted {
  const self = pathOfTask(queue, receipt.ref);
  response.status(202).location(self).setHeader('Retry-After', '1');
  const { id, state, duplicate, durability } = receipt;
  return { id, state, replayed: duplicate, durability, links: { self } };
}

import { type Order, orderLists } from './orders.js';
import type { ProduceStyle } from './plan.js';
import type { Session } from './side.js';

/** Tasks of one list in the style `bulk`. */
export const LIST_SIZE = 100;
/** Tasks that are enqueued before any of them is awaited, in the style `concurrent`. */
export const CONCURRENT_COUNT = 200;
/** Tasks of one list when a backlog is made; nothing of that is measured. */
const LOAD_SIZE = 500;

/** Enqueues orders 0 to `count - 1`. */
export async function produce(session: Session, style: ProduceStyle, count: number, bytes: number): Promise<void> {
  switch (style) {
    case 'sequential':
      for (const orders of orderLists(count, bytes, LIST_SIZE)) {
        for (const order of orders) await session.add(order);
      }
      return;
    case 'concurrent':
      for (const orders of orderLists(count, bytes, CONCURRENT_COUNT)) {
        await Promise.all(orders.map((order: Order) => session.add(order)));
      }
      return;
    case 'bulk':
      for (const orders of orderLists(count, bytes, LIST_SIZE)) await session.addMany(orders);
  }
}

/** Makes a backlog of orders 0 to `count - 1`. */
export async function load(session: Session, count: number, bytes: number): Promise<void> {
  // At most about a mebibyte a call: what is larger is cut in parts by some sides and not by others.
  const listSize = Math.max(1, Math.min(LOAD_SIZE, Math.floor(1_000_000 / bytes)));
  for (const orders of orderLists(count, bytes, listSize)) await session.addMany(orders);
}

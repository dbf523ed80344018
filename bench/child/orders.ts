/** The payload of every task: an order as a shop would send it. */
export interface Order {
  readonly orderId: number;
  readonly userId: string;
  readonly email: string;
  readonly cents: number;
  readonly note: string;
}

/** What every handler answers. */
export interface Done {
  readonly ok: true;
}

/** The order of that number, as JSON of exactly so many bytes; numbers beyond ten digits or tiny sizes are off by some. */
export function makeOrder(orderId: number, bytes: number): Order {
  const order = { orderId, userId: `user-${orderId % 1000}`, email: 'someone@example.com', cents: 123_450, note: '' };
  return { ...order, note: 'x'.repeat(Math.max(0, bytes - JSON.stringify(order).length)) };
}

/** Lists of orders, so that a million of them are never in memory at once. */
export function* orderLists(count: number, bytes: number, listSize: number): Generator<Order[]> {
  for (let from = 0; from < count; from += listSize) {
    yield Array.from({ length: Math.min(listSize, count - from) }, (_, index) => makeOrder(from + index, bytes));
  }
}

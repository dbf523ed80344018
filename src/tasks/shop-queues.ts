/** The queues of the shop, and the resource that shows a task of each. */
const RESOURCE_BY_QUEUE = {
  reports: '/tax-exports',
  payments: '/payments/debits',
  notifications: '/notifications',
} as const;

export type ShopQueue = keyof typeof RESOURCE_BY_QUEUE;

export const SHOP_QUEUES = Object.keys(RESOURCE_BY_QUEUE) as ShopQueue[];

/** The path of a task. Its ref is encoded once more: an id from a client may hold a per cent sign. */
export function pathOfTask(queue: ShopQueue, ref: string): string {
  return `${RESOURCE_BY_QUEUE[queue]}/${encodeURIComponent(ref)}`;
}

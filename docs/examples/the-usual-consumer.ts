/** What not to do; see docs/the-usual-consumer.md. */
interface Payment {
  readonly id: string;
}

interface UsualClient {
  xreadgroup(...args: readonly (string | number)[]): Promise<readonly (readonly [string, Payment])[]>;
  get(key: string): Promise<string | null>;
  set(...args: readonly (string | number)[]): Promise<string | null>;
  xack(stream: string, group: string, entryId: string): Promise<number>;
  del(key: string): Promise<number>;
}

declare const redis: UsualClient;
declare const stream: string;
declare const group: string;
declare const name: string;
declare function pay(payment: Payment): Promise<void>;

const entries = await redis.xreadgroup('GROUP', group, name, 'COUNT', 10, 'BLOCK', 5_000, 'STREAMS', stream, '>');
for (const [entryId, payment] of entries) {
  if (await redis.get(`processed:${payment.id}`)) {
    await redis.xack(stream, group, entryId);
    continue;
  }
  if (!(await redis.set(`lock:${payment.id}`, '1', 'EX', 30, 'NX'))) continue;
  try {
    await pay(payment);
    await redis.set(`processed:${payment.id}`, '1');
    await redis.xack(stream, group, entryId);
  } finally {
    await redis.del(`lock:${payment.id}`);
  }
}

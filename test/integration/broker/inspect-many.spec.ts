import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { expect, inject, it, onTestFinished } from 'vitest';
import { openBroker } from '../../support/broker/open-broker.js';

/** Leads to Redis, and counts in how many pieces requests arrive. */
async function openCounter(): Promise<{ readonly url: string; readonly pieces: string[] }> {
  const { hostname, port } = new URL(inject('redisUrl'));
  const pieces: string[] = [];
  const relay = createServer((client) => {
    const redis = connect(Number(port), hostname);
    client.on('data', (piece) => pieces.push(piece.toString())).pipe(redis);
    redis.pipe(client);
    for (const socket of [client, redis]) socket.on('error', () => undefined);
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void relay.close());
  await once(relay, 'listening');
  return { url: `redis://127.0.0.1:${(relay.address() as AddressInfo).port}`, pieces };
}

it('asks about many queues in one write', async () => {
  const { url, pieces } = await openCounter();
  const { broker } = await openBroker({}, url);
  // Redis knows the script from here on.
  await broker.queues.inspect('q0');
  pieces.length = 0;

  const reports = await Promise.all(Array.from({ length: 50 }, (_, i) => broker.queues.inspect(`q${i}`)));

  expect(reports).toHaveLength(50);
  expect(pieces.join('').match(/evalsha/gi)).toHaveLength(50);
  expect(pieces).toHaveLength(1);
});

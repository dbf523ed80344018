import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { Redis } from 'ioredis';
import { expect, it, onTestFinished } from 'vitest';
import { resolveOptions } from '../../../libs/task-streams/src/options/resolve-options.js';
import { connectionSettings } from '../../../libs/task-streams/src/redis/connection/connection-settings.js';

/** A server that is loading its file for so long, and believes that it will take far longer. */
async function startLoadingServer(loadingMs: number): Promise<number> {
  const startedAt = performance.now();
  const info = () => {
    const isLoading = performance.now() - startedAt < loadingMs;
    return isLoading ? 'loading:1\r\nloading_eta_seconds:30\r\n' : 'loading:0\r\n';
  };
  const server = createServer((socket) => {
    socket.on('error', () => undefined).setEncoding('latin1');
    socket.on('data', (text) => {
      for (const [, name] of String(text).matchAll(/\*\d+\r\n\$\d+\r\n(\w+)/g)) {
        const body = info();
        socket.write(name?.toLowerCase() === 'info' ? `$${body.length}\r\n${body}\r\n` : '+OK\r\n');
      }
    });
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

it('goes on soon after Redis has read its file, whatever time Redis thought it would take', async () => {
  const port = await startLoadingServer(500);
  const client = new Redis(
    port,
    '127.0.0.1',
    connectionSettings('command', resolveOptions(), { lastError: () => undefined, onDemoted: () => undefined }),
  );
  client.on('error', () => undefined);
  onTestFinished(() => client.disconnect());
  const begin = performance.now();

  await client.connect();

  expect(performance.now() - begin).toBeLessThan(2_000);
});

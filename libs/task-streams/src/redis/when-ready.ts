import type { RedisClient } from './redis-client.js';

/**
 * Opens the connection where it is not open yet, and waits until it is ready, at most so long. A command is only given
 * to a client that is ready: then an error tells whether it can have reached the server.
 *
 * @returns undefined when ready, else why not.
 */
export async function whenReady(client: RedisClient, timeoutMs: number): Promise<Error | undefined> {
  if (client.status === 'ready') return undefined;
  let lastError: Error | undefined;
  const listen = (error: Error) => {
    lastError = error;
  };
  client.on('error', listen);
  try {
    if (client.status === 'wait' || client.status === 'end') client.connect().catch(listen);
    const ready = await once(client, 'ready', timeoutMs);
    return ready ? undefined : (lastError ?? new Error(`no connection to Redis after ${timeoutMs} ms`));
  } finally {
    client.off('error', listen);
  }
}

function once(client: RedisClient, event: string, timeoutMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (happened: boolean) => {
      clearTimeout(timer);
      client.off(event, onEvent);
      resolve(happened);
    };
    const onEvent = () => settle(true);
    const timer = setTimeout(() => settle(false), timeoutMs);
    client.once(event, onEvent);
  });
}

import { randomInt } from 'node:crypto';
import net from 'node:net';

/**
 * Below the ports that systems give to clients: while a server that was ended is away, its port must not become
 * the near end of a connection, least of all of one that looks for that server.
 */
const FIRST = 20_000;
const COUNT = 12_000;
const MAX_TRIES = 20;

/**
 * @param {string} [host]
 * @returns {Promise<number>} a port that nothing listens on now; another process may take it before the caller does
 */
export async function freePort(host = '127.0.0.1') {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const port = FIRST + randomInt(COUNT);
    if (await isPortFree(port, host)) return port;
  }
  const port = await listenOnce(0, host);
  if (port === undefined) throw new Error(`The system gave no free port on ${host}: are its ports used up?`);
  return port;
}

/**
 * @param {number} port
 * @param {string} host
 * @returns {Promise<boolean>} whether a server could listen there now
 */
export async function isPortFree(port, host) {
  return (await listenOnce(port, host)) !== undefined;
}

/**
 * @param {number} port
 * @param {string} host
 * @returns {Promise<number | undefined>}
 */
function listenOnce(port, host) {
  return new Promise((resolve) => {
    const probe = net.createServer();
    probe.once('error', () => resolve(undefined));
    probe.listen(port, host, () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : undefined));
    });
  });
}

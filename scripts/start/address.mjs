import { freePort, isPortFree } from '../redis/index.mjs';

const defaultPort = 3000;

/** @typedef {{ host: string, port: number, url: string }} Address */

/**
 * Where the web process listens: HOST and PORT where they are set, else the loopback interface and port 3000.
 *
 * @param {{ isSmoke: boolean, print: (line: string) => void }} options the smoke run always takes a free port
 * @returns {Promise<Address>}
 */
export async function chooseAddress({ isSmoke, print }) {
  if (isSmoke) return addressOf('127.0.0.1', await freePort());
  const host = process.env['HOST'] || '127.0.0.1';
  const wanted = process.env['PORT'] ? parsePort(process.env['PORT']) : defaultPort;
  if (await isPortFree(wanted, host)) return addressOf(host, wanted);
  if (process.env['PORT']) {
    throw new Error(`Port ${wanted} on ${host} is not free: stop what listens there, or choose: PORT=3001 npm start`);
  }
  const port = await freePort(host);
  print(`port ${defaultPort} is in use, taking ${port} instead (PORT=... chooses one)`);
  return addressOf(host, port);
}

/** @param {string} text */
function parsePort(text) {
  const port = Number(text);
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
  throw new Error(`PORT=${text} is not a port: set it to a whole number from 1 to 65535`);
}

/**
 * @param {string} host
 * @param {number} port
 * @returns {Address}
 */
function addressOf(host, port) {
  // "Every interface" is no address to open in a browser.
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return { host, port, url: `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}` };
}

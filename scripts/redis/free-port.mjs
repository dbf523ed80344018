import net from 'node:net';

/**
 * @param {string} [host]
 * @returns {Promise<number>} a port that nothing listens on now; another process may take it before the caller does
 */
export async function freePort(host = '127.0.0.1') {
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

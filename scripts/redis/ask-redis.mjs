import net from 'node:net';
import tls from 'node:tls';
import { RespError, parseReply } from './resp-parser.mjs';

/** @typedef {import('./resp-parser.mjs').RespValue} RespValue */

/**
 * Sends a few commands over a connection of its own and closes it. For starting and checking servers only, so that this
 * works before any dependency is installed.
 *
 * @param {string} url `redis://`, `rediss://` or `unix:///path`, with user and password where the server wants them
 * @param {readonly (readonly string[])[]} commands
 * @param {{ timeoutMs?: number }} [options] for the whole exchange; 5,000 unless told
 * @returns {Promise<RespValue[]>} one reply a command; an error reply is a RespError in its place
 */
export async function askRedis(url, commands, { timeoutMs = 5_000 } = {}) {
  const { hostname, port, protocol, username, password, pathname } = new URL(url);
  const login = password ? [['AUTH', ...(username ? [decode(username)] : []), decode(password)]] : [];
  const address = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 6379) };
  const plain = /^(redis\+)?unix:$/.test(protocol) ? { path: decode(pathname) } : address;
  const socket = protocol === 'rediss:' ? tls.connect({ ...address, servername: address.host }) : net.connect(plain);
  const replies = await exchange(socket, [...login, ...commands], timeoutMs);
  const refused = replies.slice(0, login.length).find((reply) => reply instanceof RespError);
  if (refused) throw refused;
  return replies.slice(login.length);
}

/**
 * @param {string} url
 * @param {'server' | 'memory' | 'persistence'} section
 * @param {{ timeoutMs?: number }} [options]
 * @returns {Promise<Record<string, string>>} the fields of `INFO section`
 */
export async function redisInfo(url, section, options) {
  const [reply] = await askRedis(url, [['INFO', section]], options);
  if (reply instanceof RespError) throw reply;
  const pairs = String(reply)
    .split('\r\n')
    .filter((line) => line.includes(':'))
    .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)]);
  return Object.fromEntries(pairs);
}

/**
 * @param {net.Socket} socket
 * @param {readonly (readonly string[])[]} commands
 * @param {number} timeoutMs
 * @returns {Promise<RespValue[]>}
 */
function exchange(socket, commands, timeoutMs) {
  return new Promise((resolve, reject) => {
    /** @type {RespValue[]} */
    const replies = [];
    let pending = '';
    const timer = setTimeout(() => socket.destroy(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
    socket.setEncoding('latin1');
    socket.on('data', (chunk) => {
      pending += chunk;
      try {
        for (let reply = parseReply(pending); reply; reply = parseReply(pending)) {
          replies.push(reply.value);
          pending = pending.slice(reply.end);
        }
      } catch (error) {
        socket.destroy(/** @type {Error} */ (error));
      }
      if (replies.length >= commands.length) socket.end();
    });
    socket.once('error', reject);
    socket.once('close', () => {
      clearTimeout(timer);
      // After an error the promise is settled already and this changes nothing.
      if (replies.length < commands.length) reject(new Error('the server closed the connection'));
      resolve(replies);
    });
    socket.write(commands.map(encode).join(''));
  });
}

/** @param {readonly string[]} words */
function encode(words) {
  return `*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join('')}`;
}

/** @param {string} text */
function decode(text) {
  return decodeURIComponent(text);
}

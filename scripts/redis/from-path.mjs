import { which } from '../lib/which.mjs';
import { inspectBinary } from './binary.mjs';

/** @typedef {import('./find-server.mjs').Provider} Provider */

/** @type {Provider} */
export async function findOnPath({ env }) {
  /** @type {string[]} */
  const reasons = [];
  for (const program of ['valkey-server', 'redis-server']) {
    const command = which(program, env);
    if (!command) continue;
    const finding = await inspectBinary({ command, args: [], source: command });
    if ('server' in finding) return finding;
    reasons.push(finding.reason);
  }
  return { reason: reasons.join('; ') || 'PATH has neither valkey-server nor redis-server' };
}

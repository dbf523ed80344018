import path from 'node:path';
import { isExecutable } from '../lib/which.mjs';
import { inspectBinary } from './binary.mjs';

/** @typedef {import('./find-server.mjs').Provider} Provider */

// Homebrew on Apple silicon, on Intel Macs, and on Linux. Its folder need not be on PATH, for example in an editor.
const prefixes = ['/opt/homebrew', '/usr/local', '/home/linuxbrew/.linuxbrew'];
const programs = [
  'opt/valkey/bin/valkey-server',
  'opt/redis/bin/redis-server',
  'bin/valkey-server',
  'bin/redis-server',
];

/** @type {Provider} */
export async function findInHomebrew({ env }) {
  const folders = [env['HOMEBREW_PREFIX'] ?? '', ...prefixes].filter(Boolean);
  const found = folders.flatMap((folder) => programs.map((program) => path.join(folder, program))).filter(isExecutable);
  /** @type {string[]} */
  const reasons = [];
  for (const command of found) {
    const finding = await inspectBinary({ command, args: [], source: command });
    if ('server' in finding) return finding;
    reasons.push(finding.reason);
  }
  return { reason: reasons.join('; ') || 'Homebrew has neither valkey nor redis' };
}

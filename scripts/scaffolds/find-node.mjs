import { existsSync } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import { makeWhole } from '../lib/make-whole.mjs';
import { cacheDir } from '../lib/paths.mjs';
import { capture, runNpm } from '../lib/run-command.mjs';

/**
 * A program of another version of Node: npm has packages with nothing else in them.
 *
 * @param {number} major
 * @param {(line: string) => void} print
 * @returns {Promise<string>} the program
 */
export async function findNode(major, print) {
  if (process.versions.node.startsWith(`${major}.`)) return process.execPath;
  const home = path.join(cacheDir, `node-${major}`);
  if (!existsSync(home)) {
    print(`fetching Node ${major} (npm pack)`);
    await mkdir(cacheDir, { recursive: true });
    await makeWhole(home, (scratch) => unpack(major, scratch));
  }
  return path.join(home, 'package/bin', process.platform === 'win32' ? 'node.exe' : 'node');
}

/**
 * @param {number} major
 * @param {string} dir
 */
async function unpack(major, dir) {
  const system = process.platform === 'win32' ? 'win' : process.platform;
  const name = `node-${system}-${process.arch}@${major}`;
  const code = await runNpm(['pack', '--silent', '--pack-destination', dir, name]);
  const archive = (await readdir(dir)).find((file) => file.endsWith('.tgz'));
  if (code !== 0 || !archive) throw new Error(`npm pack ${name} failed with exit code ${code}: see its output above.`);
  const unpacked = await capture('tar', ['-xzf', archive], { cwd: dir, timeoutMs: 120_000 });
  if (unpacked.code !== 0) throw new Error(`tar cannot unpack ${archive}: ${unpacked.stderr}`);
}

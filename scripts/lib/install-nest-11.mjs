import { existsSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import path from 'node:path';
import { fingerprint } from './fingerprint.mjs';
import { withLock } from './lock.mjs';
import { makeWhole } from './make-whole.mjs';
import { cacheDir, root } from './paths.mjs';
import { runNpm } from './run-command.mjs';

const manifests = ['test/nest-11/package.json', 'test/nest-11/package-lock.json'];

/** Where the oldest Nest that is supported lies once it is installed. Its name changes with its lock file. */
export const nest11Dir = path.join(cacheDir, `nest-11-${fingerprint(manifests).slice(0, 12)}`);

/**
 * Installs the oldest Nest that is supported unless it is there. Whatever else a program needs is found in the folder above.
 *
 * @param {(line: string) => void} log
 * @returns {Promise<string>} the folder that has its node_modules
 */
export async function ensureNest11(log) {
  await withLock(path.join(cacheDir, 'nest-11.lock'), async () => {
    if (existsSync(nest11Dir)) return;
    await makeWhole(nest11Dir, async (scratch) => {
      log('installing Nest 11 (npm ci)');
      for (const file of manifests) await cp(path.join(root, file), path.join(scratch, path.basename(file)));
      const code = await runNpm(['ci', '--no-audit', '--no-fund', '--loglevel=error'], scratch);
      if (code !== 0) throw new Error(`npm ci for Nest 11 failed with exit code ${code}: see its output above.`);
    });
  });
  return nest11Dir;
}

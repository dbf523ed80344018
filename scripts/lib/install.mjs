import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fingerprint } from './fingerprint.mjs';
import { withLock } from './lock.mjs';
import { cacheDir, root } from './paths.mjs';
import { runNpm } from './run-command.mjs';

const stampFile = path.join(root, 'node_modules', '.nestjs-task-streams-install');

/**
 * Installs the dependencies of package-lock.json unless they are there.
 *
 * @param {(line: string) => void} log
 */
export async function ensureInstalled(log) {
  if (isInstalled()) return;
  await withLock(path.join(cacheDir, 'install.lock'), async () => {
    if (isInstalled()) return;
    log('installing dependencies (npm ci)');
    // Dev dependencies hold the compiler, so they are needed even where NODE_ENV=production is set.
    const code = await runNpm(['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error']);
    if (code !== 0) throw new Error(`npm ci failed with exit code ${code}: see its output above.`);
    writeFileSync(stampFile, lockFingerprint());
  });
}

function isInstalled() {
  const expected = lockFingerprint();
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === expected) return true;
  if (!matchesLockFile()) return false;
  writeFileSync(stampFile, expected);
  return true;
}

function lockFingerprint() {
  return fingerprint(['package-lock.json']);
}

/** Somebody may have run `npm install` by hand: npm's own record of node_modules then says what is there. */
function matchesLockFile() {
  const recordFile = path.join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(recordFile)) return false;
  const wanted = readPackages(path.join(root, 'package-lock.json'));
  const installed = readPackages(recordFile);
  return Object.entries(wanted).every(([name, entry]) => {
    // Packages for other processors and systems are optional and absent here.
    if (!name.startsWith('node_modules/') || entry.optional) return true;
    return entry.link ? installed[name]?.link === true : installed[name]?.version === entry.version;
  });
}

/**
 * @param {string} file
 * @returns {Record<string, { version?: string, link?: boolean, optional?: boolean }>}
 */
function readPackages(file) {
  return JSON.parse(readFileSync(file, 'utf8')).packages;
}

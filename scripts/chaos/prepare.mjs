import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { fingerprint } from '../lib/fingerprint.mjs';
import { bundleWorker } from './bundle-worker.mjs';
import { ensureInstalled } from '../lib/install.mjs';
import { finishLibrary } from '../lib/library-package.mjs';
import { withLock } from '../lib/lock.mjs';
import { makeWhole } from '../lib/make-whole.mjs';
import { cacheDir, root } from '../lib/paths.mjs';
import { runInTerminal } from '../lib/run-command.mjs';
import { findRedisServer } from '../redis/index.mjs';

const library = 'libs/task-streams';
const libraryInputs = [
  'package-lock.json',
  'tsconfig.json',
  `${library}/package.json`,
  `${library}/src`,
  `${library}/tsconfig.build.json`,
  'scripts/lib/library-package.mjs',
  'scripts/lib/library-types.mjs',
];
const supportInputs = ['test/support/redis-server.ts', 'test/support/topologies'];
const harnessInputs = ['test/chaos', ...supportInputs, 'scripts/chaos'];

/**
 * Where a build lies. Its name is made of the contents of the sources: a build that somebody runs is never changed, and
 * a build of others meanwhile disturbs nobody.
 *
 * @typedef {object} ChaosBuild
 * @property {string} dir the folder of the harness, in the layout of the repository
 * @property {string} fingerprint of the library and the harness
 * @property {string} redis the server that the scenarios start
 */

/**
 * Installs what is missing and builds the library and the harness into folders of their own.
 *
 * @param {(line: string) => void} print
 * @returns {Promise<ChaosBuild>}
 */
export async function prepareChaos(print) {
  await ensureInstalled(print);
  const server = await findRedisServer({ log: print });
  const isSource = (/** @type {string} */ file) => !file.endsWith('.spec.ts');
  const libraryHash = fingerprint(libraryInputs, isSource).slice(0, 12);
  const harnessHash = fingerprint(harnessInputs, isSource).slice(0, 12);
  const home = path.join(cacheDir, 'chaos', `lib-${libraryHash}`);
  const dir = path.join(home, `harness-${harnessHash}`);
  await withLock(path.join(cacheDir, 'chaos.lock'), async () => {
    const packageDir = path.join(home, 'node_modules', 'nestjs-task-streams');
    if (!existsSync(packageDir)) await makeWhole(packageDir, (target) => buildLibrary(target, print));
    if (!existsSync(dir)) await makeWhole(dir, buildHarness);
  });
  return { dir, fingerprint: `${libraryHash}-${harnessHash}`, redis: `${server.name} ${server.version}` };
}

/**
 * Runs the built harness.
 *
 * @param {ChaosBuild} build
 * @param {readonly string[]} args
 * @returns {Promise<number>} the exit code
 */
export function runChaos(build, args) {
  const child = spawn(process.execPath, [path.join(build.dir, 'test/chaos/cli.js'), ...args], {
    cwd: root,
    stdio: 'inherit',
    env: {
      ...process.env,
      CHAOS_BUILD: build.dir,
      CHAOS_FINGERPRINT: build.fingerprint,
      CHAOS_REDIS: build.redis,
      CHAOS_CACHE: path.join(cacheDir, 'chaos'),
    },
  });
  // Ctrl-C reaches the harness by itself; it ends what it started, and this process waits for that.
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  return new Promise((resolve) => {
    child.once('error', () => resolve(127));
    child.once('close', (code) => resolve(code ?? 128));
  });
}

/**
 * The library as a package that the worker processes find by its name.
 *
 * @param {string} target
 * @param {(line: string) => void} print
 */
async function buildLibrary(target, print) {
  print('building the library for the chaos runs');
  const tsc = path.join(root, 'node_modules/typescript/bin/tsc');
  const config = path.join(root, library, 'tsconfig.build.json');
  const dist = path.join(target, 'dist');
  const code = await runInTerminal(process.execPath, [tsc, '-p', config, '--outDir', dist]);
  if (code !== 0) throw new Error(`The library cannot be built: tsc ended with exit code ${code}, see above.`);
  await finishLibrary({ dist, scripts: path.join(root, library, 'src/redis/scripts') });
  await cp(path.join(root, library, 'package.json'), path.join(target, 'package.json'));
}

/** @param {string} target */
async function buildHarness(target) {
  const { transpileFolder } = await import(pathToFileURL(path.join(root, 'scripts/chaos/transpile.mjs')).href);
  await transpileFolder(root, target, ['test/chaos', ...supportInputs]);
  await writeFile(path.join(target, 'package.json'), '{ "type": "module" }\n');
  // Linked, not copied: the scripts find the repository by where they lie.
  await symlink(path.join(root, 'scripts'), path.join(target, 'scripts'), 'junction');
  await bundleWorker(path.join(target, 'test/chaos/worker/main.js'), path.join(target, 'worker'));
}

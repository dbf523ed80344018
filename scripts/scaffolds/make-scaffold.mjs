import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fingerprint } from '../lib/fingerprint.mjs';
import { withLock } from '../lib/lock.mjs';
import { makeWhole } from '../lib/make-whole.mjs';
import { cacheDir } from '../lib/paths.mjs';
import { capture, runNpm } from '../lib/run-command.mjs';
import { notNeeded, scaffoldKinds } from './scaffold-kinds.mjs';

const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'];

/** Where scaffolds lie. Another folder for other versions. */
const scaffoldsDir = path.join(
  cacheDir,
  `scaffolds-${fingerprint(['scripts/scaffolds/scaffold-kinds.mjs', 'scripts/scaffolds/make-scaffold.mjs']).slice(0, 12)}`,
);

/**
 * Makes the projects that are not there yet.
 *
 * @param {(line: string) => void} print
 * @returns {Promise<string[]>} the folder of each of `scaffoldKinds`
 */
export function makeScaffolds(print) {
  return Promise.all(scaffoldKinds.map((kind) => makeScaffold(kind, print)));
}

/**
 * Makes a project with the command line of Nest, and installs its packages, unless it is there.
 *
 * @param {import('./scaffold-kinds.mjs').ScaffoldKind} kind
 * @param {(line: string) => void} print
 * @returns {Promise<string>} the folder of the project
 */
async function makeScaffold(kind, print) {
  const home = path.join(scaffoldsDir, kind.name);
  await withLock(`${home}.lock`, async () => {
    if (existsSync(home)) return;
    await makeWhole(home, async (scratch) => {
      print(`making the project ${kind.name} (nest new, npm install)`);
      await runNestNew(kind, scratch);
      await addPackages(kind, path.join(scratch, 'app/package.json'));
      await install(['install'], path.join(scratch, 'app'));
    });
  });
  return path.join(home, 'app');
}

/**
 * @param {import('./scaffold-kinds.mjs').ScaffoldKind} kind
 * @param {string} dir
 */
async function runNestNew({ cli }, dir) {
  await writeFile(path.join(dir, 'package.json'), '{ "private": true }\n');
  await install(['install', '--no-save', `@nestjs/cli@${cli}`], dir);
  const nest = path.join(dir, 'node_modules/@nestjs/cli/bin/nest.js');
  const args = ['new', 'app', '--skip-git', '--skip-install', '--package-manager', 'npm', '--language', 'TypeScript'];
  const { code, stdout, stderr } = await capture(process.execPath, [nest, ...args], { cwd: dir, timeoutMs: 120_000 });
  if (code !== 0) throw new Error(`nest new failed with exit code ${code}:\n${stdout}${stderr}`);
  // The project would find the packages of its own command line above it.
  for (const name of ['node_modules', 'package.json']) await rm(path.join(dir, name), { recursive: true });
}

/**
 * @param {import('./scaffold-kinds.mjs').ScaffoldKind} kind
 * @param {string} file
 */
async function addPackages({ dependencies, devDependencies }, file) {
  const manifest = JSON.parse(await readFile(file, 'utf8'));
  const needed = Object.entries(manifest.devDependencies).filter(([name]) => !notNeeded.test(name));
  manifest.dependencies = { ...manifest.dependencies, ...dependencies };
  manifest.devDependencies = { ...Object.fromEntries(needed), ...devDependencies };
  await writeFile(file, `${JSON.stringify(manifest, undefined, 2)}\n`);
}

/**
 * @param {readonly string[]} args
 * @param {string} dir
 */
async function install(args, dir) {
  const code = await runNpm([...args, ...quiet], dir);
  if (code !== 0) throw new Error(`npm ${args.join(' ')} failed with exit code ${code}: see its output above.`);
}

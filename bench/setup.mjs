import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fingerprint } from '../scripts/lib/fingerprint.mjs';
import { ensureNest11 } from '../scripts/lib/install-nest-11.mjs';
import { finishLibrary } from '../scripts/lib/library-package.mjs';
import { withLock } from '../scripts/lib/lock.mjs';
import { makeWhole } from '../scripts/lib/make-whole.mjs';
import { cacheDir, root } from '../scripts/lib/paths.mjs';
import { runInTerminal } from '../scripts/lib/run-command.mjs';

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
const childSources = 'bench/child';
const keptMs = 24 * 3_600_000;

/**
 * Builds the library as an installed package, and the program of the measured processes, below the project's cache: the
 * build of somebody else meanwhile disturbs no run. A folder is named by the contents of its sources and never changed.
 *
 * @param {(line: string) => void} print
 * @param {{ nest?: '11' | undefined }} [options] `nest`: below the node_modules of that version; that of the project unless told
 * @returns {Promise<{ program: string, modulesOf: string }>} the program, and the folder whose node_modules it uses first
 */
export async function buildBench(print, { nest } = {}) {
  const isSource = (/** @type {string} */ file) => !file.endsWith('.spec.ts');
  const modulesOf = nest === undefined ? root : await ensureNest11(print);
  const base = path.join(nest === undefined ? cacheDir : modulesOf, 'bench');
  const home = path.join(base, `lib-${fingerprint(libraryInputs, isSource).slice(0, 12)}`);
  const child = path.join(home, `child-${fingerprint([childSources]).slice(0, 12)}`);
  await withLock(path.join(cacheDir, 'bench.lock'), async () => {
    await removeOldBuilds(base, path.basename(home));
    const packageDir = path.join(home, 'node_modules', 'nestjs-task-streams');
    if (!existsSync(packageDir)) await makeWhole(packageDir, (target) => buildLibrary(target, print));
    if (!existsSync(child)) await makeWhole(child, translateChild);
  });
  return { program: path.join(child, 'main.js'), modulesOf };
}

/**
 * @param {string} target
 * @param {(line: string) => void} print
 */
async function buildLibrary(target, print) {
  print('building the library for the bench');
  const tsc = path.join(root, 'node_modules/typescript/bin/tsc');
  const config = path.join(root, library, 'tsconfig.build.json');
  const dist = path.join(target, 'dist');
  const code = await runInTerminal(process.execPath, [tsc, '-p', config, '--outDir', dist]);
  if (code !== 0) throw new Error(`The library cannot be built: tsc ended with exit code ${code}, see above.`);
  await finishLibrary({ dist, scripts: path.join(root, library, 'src/redis/scripts') });
  await cp(path.join(root, library, 'package.json'), path.join(target, 'package.json'));
}

/**
 * Translates file by file; types are checked by `npm run typecheck`.
 *
 * @param {string} target
 */
async function translateChild(target) {
  const { default: ts } = await import('typescript');
  const compilerOptions = {
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.ESNext,
    experimentalDecorators: true,
    emitDecoratorMetadata: true,
    isolatedModules: true,
  };
  const from = path.join(root, childSources);
  for (const entry of await readdir(from, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = path.join(entry.parentPath, entry.name);
    const output = path.join(target, path.relative(from, file)).replace(/\.ts$/, '.js');
    const { outputText } = ts.transpileModule(await readFile(file, 'utf8'), { compilerOptions, fileName: file });
    await mkdir(path.dirname(output), { recursive: true });
    await writeFile(output, outputText);
  }
  await writeFile(path.join(target, 'package.json'), '{ "type": "module" }\n');
}

/**
 * @param {string} folder
 * @param {string} wanted the build that stays however old it is
 */
async function removeOldBuilds(folder, wanted) {
  const names = existsSync(folder) ? await readdir(folder) : [];
  for (const name of names.filter((one) => one.startsWith('lib-') && one !== wanted)) {
    const { mtimeMs } = await stat(path.join(folder, name));
    if (Date.now() - mtimeMs > keptMs) await rm(path.join(folder, name), { recursive: true, force: true });
  }
}

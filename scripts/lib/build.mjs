import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fingerprint } from './fingerprint.mjs';
import { withLock } from './lock.mjs';
import { cacheDir, root } from './paths.mjs';
import { runNpm } from './run-command.mjs';

const outputs = [
  'dist/main.js',
  'libs/task-streams/dist/cjs/package.json',
  'libs/task-streams-cli/dist/bundle/main.js',
].map((file) => path.join(root, file));
// The stamp lies in the output: whoever deletes the output deletes the claim that it is up to date.
const stampFile = path.join(root, 'dist', '.build-stamp');
/** Held by who writes the output. */
export const buildLock = path.join(cacheDir, 'build.lock');

const inputs = [
  'libs/task-streams-cli/bin',
  'libs/task-streams-cli/package.json',
  'libs/task-streams-cli/src',
  'libs/task-streams-cli/tsconfig.build.json',
  'libs/task-streams/package.json',
  'libs/task-streams/src',
  'libs/task-streams/tsconfig.build.json',
  'nest-cli.json',
  'package-lock.json',
  'scripts/bundle-cli.mjs',
  'scripts/finish-library.mjs',
  'scripts/lib/bundle-program.mjs',
  'scripts/lib/library-package.mjs',
  'scripts/lib/library-types.mjs',
  'src',
  'tsconfig.build.json',
  'tsconfig.json',
];

/**
 * Builds the library, its command line and the sample app unless the output is newer than the sources.
 *
 * @param {(line: string) => void} log
 */
export async function ensureBuilt(log) {
  if (isBuilt(sourceFingerprint())) return;
  await withLock(buildLock, async () => {
    const sources = sourceFingerprint();
    if (isBuilt(sources)) return;
    log('building the library, its command line and the sample app (npm run build)');
    const code = await runNpm(['run', '--silent', 'build']);
    if (code !== 0) throw new Error(`The build failed with exit code ${code}: see its output above.`);
    markBuilt(sources);
  });
}

/**
 * Says that the output is up to date with the sources, also where another program wrote it.
 *
 * @param {string} sources the fingerprint that they had before they were built
 */
export function markBuilt(sources) {
  const missing = outputs.find((file) => !existsSync(file));
  if (missing) throw new Error(`The build did not write ${path.relative(root, missing)}: check nest-cli.json.`);
  writeFileSync(stampFile, sources);
}

/** One hash over all that the build reads. */
export function sourceFingerprint() {
  return fingerprint(inputs, (file) => !file.endsWith('.spec.ts'));
}

/** @param {string} sources */
function isBuilt(sources) {
  return (
    outputs.every((file) => existsSync(file)) && existsSync(stampFile) && readFileSync(stampFile, 'utf8') === sources
  );
}

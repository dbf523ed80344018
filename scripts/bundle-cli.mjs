// The last step of the build of the command line: one file that needs nothing installed beside it.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { bundleProgram } from './lib/bundle-program.mjs';
import { root } from './lib/paths.mjs';

const cli = path.join(root, 'libs/task-streams-cli');
const outDir = path.join(cli, 'dist/bundle');

const files = await bundleProgram({ main: path.join(cli, 'dist/main.js'), outDir });
writeFileSync(path.join(outDir, 'LICENSES.txt'), licensesOf(files));

/**
 * The licenses of the packages whose code is in the bundle: they ask to be passed on with it.
 *
 * @param {readonly string[]} bundled
 */
function licensesOf(bundled) {
  const folders = new Set(bundled.flatMap((file) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []));
  return [...folders].sort().map(licenseOf).join('\n');
}

/** @param {string} folder */
function licenseOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  const text = file ? readFileSync(path.join(folder, file), 'utf8').trim() : `License: ${license}`;
  return `${name} ${version}\n\n${text}\n\n${'-'.repeat(80)}\n`;
}

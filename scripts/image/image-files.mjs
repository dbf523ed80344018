import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { root } from '../lib/paths.mjs';
import { copiesOf, readDockerfile } from './read-dockerfile.mjs';
import { readIgnore } from './read-ignore.mjs';

/** Never in the context, and too much to walk through. */
const SKIPPED = new Set(['.cache', '.git', 'coverage', 'dist', 'node_modules']);

/**
 * @typedef {object} ImageFiles
 * @property {readonly import('./read-dockerfile.mjs').Stage[]} stages
 * @property {ReadonlyMap<string, string>} copied from a path in the image to the file of the repository that is copied there
 * @property {readonly string[]} missing sources of COPY that the build context does not have
 */

/**
 * What the stage that builds has, before it runs anything: the files that `.dockerignore` lets through and COPY names.
 *
 * @returns {ImageFiles}
 */
export function imageFiles() {
  const stages = readDockerfile(read('Dockerfile'));
  const context = filesBelow('').filter(readIgnore(read('.dockerignore')));
  const copied = new Map();
  const missing = [];
  for (const { from, sources, target } of stages.flatMap(copiesOf)) {
    if (from !== undefined) continue;
    for (const source of sources) {
      const found = context.filter((file) => file === source || file.startsWith(`${source}/`));
      if (found.length === 0) missing.push(source);
      for (const file of found) copied.set(placeOf(file, source, { target, isOnly: sources.length === 1 }), file);
    }
  }
  return { stages, copied, missing };
}

/**
 * Docker copies what is in a folder, and a file into a target that ends in a slash.
 *
 * @param {string} file
 * @param {string} source
 * @param {{ target: string, isOnly: boolean }} copy
 */
function placeOf(file, source, { target, isOnly }) {
  const isInto = target.endsWith('/') || target === '.' || !isOnly;
  if (file !== source) return path.posix.join(target, path.posix.relative(source, file));
  return path.posix.normalize(isInto ? path.posix.join(target, path.posix.basename(file)) : target);
}

/**
 * @param {string} folder
 * @returns {string[]} paths from the root, with `/`
 */
function filesBelow(folder) {
  return readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const name = path.posix.join(folder, entry.name);
    if (!entry.isDirectory()) return [name];
    return SKIPPED.has(entry.name) ? [] : filesBelow(name);
  });
}

/** @param {string} file */
function read(file) {
  return readFileSync(path.join(root, file), 'utf8');
}

import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { root } from './paths.mjs';

/**
 * One hash over the names and contents of files and folders. Contents, not times: a fresh clone, a branch switched back
 * and forth and a copied folder all give the same answer.
 *
 * @param {readonly string[]} names paths from the root of the repository; missing ones count as such
 * @param {(file: string) => boolean} [accepts] which files of a folder count
 * @returns {string}
 */
export function fingerprint(names, accepts = () => true) {
  const hash = createHash('sha256');
  for (const file of names.flatMap((name) => filesBelow(path.join(root, name)))) {
    if (!accepts(file)) continue;
    hash
      .update(`${path.relative(root, file)}\0`)
      .update(readFileSync(file))
      .update('\0');
  }
  return hash.digest('hex');
}

/**
 * @param {string} start
 * @returns {string[]}
 */
function filesBelow(start) {
  if (!existsSync(start)) return [];
  if (statSync(start).isFile()) return [start];
  return readdirSync(start, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => !file.includes(`${path.sep}node_modules${path.sep}`))
    .sort();
}

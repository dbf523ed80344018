import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the repository, wherever the command was started. */
export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..');

/** Everything that can be deleted and made again lives below this folder; git ignores it. */
export const cacheDir = path.join(root, '.cache');

/** The data of `npm start`: kept between runs, so accepted tasks survive a restart. */
export const dataDir = path.join(cacheDir, 'data');

/**
 * @param {string} file an absolute path
 * @returns {string} the path as a reader at the root of the repository would write it
 */
export function relativeToRoot(file) {
  const relative = path.relative(root, file);
  return relative.startsWith('..') ? file : relative;
}

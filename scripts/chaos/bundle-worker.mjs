import path from 'node:path';
import { bundleProgram } from '../lib/bundle-program.mjs';

/**
 * Bundles a worker: most of what a long run with thousands of killed workers would do is to read the files of Nest.
 *
 * @param {string} main
 * @param {string} target folder of the bundle
 */
export async function bundleWorker(main, target) {
  await bundleProgram({ main, outDir: path.join(target, 'dist/redis') });
}

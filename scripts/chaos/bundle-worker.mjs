import { cp } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { bundleProgram } from '../lib/bundle-program.mjs';

/**
 * Bundles a worker: most of what a long run with thousands of killed workers would do is to read the files of Nest. The
 * bundle has the place in its folder that the library's own file has.
 *
 * @param {string} main
 * @param {string} target folder of the bundle
 */
export async function bundleWorker(main, target) {
  const library = path.dirname(createRequire(main).resolve('nestjs-task-streams/package.json'));
  const scripts = path.join(library, 'dist/redis/scripts');
  await bundleProgram({ main, outDir: path.join(target, 'dist/redis'), scripts });
  await cp(path.join(library, 'package.json'), path.join(target, 'package.json'));
}

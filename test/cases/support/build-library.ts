import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { build } from 'vite';
import type { TestProject } from 'vitest/node';
import { root } from '../../support/source-tree.js';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The program that worker processes run. */
    workerProgram: string;
  }
}

const LIBRARY = path.join(root, 'libs/task-streams/src');
const PROGRAM = 'worker-program';

/**
 * Builds the program of the worker processes, with the library and everything it needs in a few files: a process that
 * reads hundreds of modules takes three times as long to start, and the cases start many. In a folder of this run, so
 * that nobody else's build comes between.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dir = path.join(root, '.cache/cases', `${process.pid}`);
  await rm(dir, { recursive: true, force: true });
  await mkdir(dir, { recursive: true });
  await writeFile(path.join(dir, 'package.json'), '{ "type": "module", "private": true }\n');
  await bundle(dir);
  // The scripts are read from beside the code.
  await cp(path.join(LIBRARY, 'redis/scripts'), path.join(dir, 'scripts'), { recursive: true });
  project.provide('workerProgram', path.join(dir, `${PROGRAM}.js`));
  return () => rm(dir, { recursive: true, force: true });
}

async function bundle(outDir: string): Promise<void> {
  await build({
    configFile: false,
    root,
    logLevel: 'error',
    resolve: {
      alias: [
        { find: /^nestjs-task-streams$/, replacement: path.join(LIBRARY, 'index.ts') },
        { find: /^nestjs-task-streams\/(\w+)$/, replacement: path.join(LIBRARY, '$1/index.ts') },
      ],
    },
    // What is not installed is looked for by Nest when it is needed, and not before.
    ssr: { noExternal: true, external: ['@nestjs/platform-express'] },
    build: {
      ssr: path.join(root, `test/cases/support/${PROGRAM}.ts`),
      outDir,
      emptyOutDir: false,
      target: 'es2023',
      minify: false,
      rolldownOptions: { output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' } },
    },
  });
}

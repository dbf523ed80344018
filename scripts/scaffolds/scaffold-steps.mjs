import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { root } from '../lib/paths.mjs';
import { bundleApp } from './bundle-app.mjs';

const nest = 'node_modules/@nestjs/cli/bin/nest.js';
const tsc = 'node_modules/typescript/bin/tsc';
const parts = path.join(root, 'test/scaffolds');

/**
 * What is done with a project, each step after the other. `build` and `run` start a program of Node in the folder of the
 * project, and throw where it fails: `build` on this Node, for what is the same on all, and `run` on each.
 *
 * @typedef {(...args: string[]) => Promise<void>} Start
 * @typedef {{ app: string, build: Start, run: Start }} StepContext
 * @typedef {{ name: string, isQuick?: boolean, only?: 'commonjs' | 'esm', do: (context: StepContext) => Promise<void> }} Step
 */

/** @type {readonly Step[]} */
export const scaffoldSteps = [
  {
    name: 'unit tests (Jest)',
    isQuick: true,
    only: 'commonjs',
    do: ({ run }) => run('node_modules/jest/bin/jest.js'),
  },
  {
    name: 'tests against Redis (Jest)',
    isQuick: true,
    only: 'commonjs',
    do: ({ run }) => run('node_modules/jest/bin/jest.js', '--config', 'test/jest-e2e.json'),
  },
  { name: 'unit tests (Vitest)', only: 'esm', do: ({ run }) => run('node_modules/vitest/vitest.mjs', 'run') },
  {
    name: 'tests against Redis (Vitest)',
    only: 'esm',
    do: ({ run }) => run('node_modules/vitest/vitest.mjs', 'run', '--config', 'vitest.config.e2e.ts'),
  },
  { name: 'tsc', isQuick: true, do: (context) => buildAndRun(context, 'tsc') },
  { name: 'SWC', do: (context) => buildAndRun(context, 'swc') },
  { name: 'SWC, types imported as values', do: buildWithPlainImports },
  // Nest has none of it for ES modules.
  { name: 'webpack', only: 'commonjs', do: (context) => buildAndRun(context, 'webpack') },
  { name: 'webpack, everything in one file', only: 'commonjs', do: bundleWithWebpack },
  { name: 'esbuild, everything in one file', do: bundleWithEsbuild },
  { name: 'types of older TypeScript options', only: 'commonjs', do: checkTypes },
];

/**
 * @param {StepContext} context
 * @param {string} builder
 */
async function buildAndRun({ build, run }, builder) {
  await build(nest, 'build', '--builder', builder);
  await run('dist/main.js');
}

/** @param {StepContext} context */
async function buildWithPlainImports(context) {
  const { app } = context;
  const file = path.join(app, 'src/plain-imports.tasks.ts');
  const module = path.join(app, 'src/app.module.ts');
  const before = await readFile(module, 'utf8');
  const extension = before.includes("mail.tasks.js'") ? '.js' : '';
  try {
    await cp(path.join(parts, 'plain-imports.tasks.ts.txt'), file);
    const imported = `import { PlainImports } from './plain-imports.tasks${extension}';\n${before}`;
    await writeFile(module, imported.replace('providers: [', 'providers: [PlainImports, '));
    await buildAndRun(context, 'swc');
  } finally {
    await writeFile(module, before);
    await rm(file, { force: true });
  }
}

/** @param {StepContext} context */
async function bundleWithWebpack({ app, build, run }) {
  const config = 'webpack-all-inside.config.cjs';
  await cp(path.join(parts, config), path.join(app, config));
  await build(nest, 'build', '--builder', 'webpack', '--webpackPath', config);
  await runAlone(app, 'dist/main.js', 'main.cjs', run);
}

/** @param {StepContext} context */
async function bundleWithEsbuild({ app, build, run }) {
  await build(nest, 'build', '--builder', 'tsc');
  const isEsm = JSON.parse(await readFile(path.join(app, 'package.json'), 'utf8')).type === 'module';
  await bundleApp(app, 'dist/bundle.js', isEsm ? 'esm' : 'cjs');
  await runAlone(app, 'dist/bundle.js', isEsm ? 'main.mjs' : 'main.cjs', run);
}

/**
 * Runs a bundle in a folder where none of its packages are.
 *
 * @param {string} app
 * @param {string} bundle
 * @param {string} name
 * @param {Start} run
 */
async function runAlone(app, bundle, name, run) {
  const dir = path.join(path.dirname(app), 'alone');
  await rm(dir, { recursive: true, force: true });
  await mkdir(dir);
  await cp(path.join(app, bundle), path.join(dir, name));
  await run(path.join(dir, name));
}

/** @param {StepContext} context */
async function checkTypes({ build }) {
  const check = (/** @type {string[]} */ ...options) =>
    build(tsc, '-p', 'tsconfig.build.json', '--noEmit', '--incremental', 'false', ...options);
  // The tsconfig.json of earlier scaffolds.
  await check('--module', 'commonjs', '--moduleResolution', 'node10', '--resolvePackageJsonExports', 'false');
  await check('--module', 'node16', '--moduleResolution', 'node16', '--skipLibCheck', 'false', '--types', 'node');
  await check('--module', 'preserve', '--moduleResolution', 'bundler');
}

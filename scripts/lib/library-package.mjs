import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { reachableTypes, typeNames } from './library-types.mjs';

/** What `nestjs-task-streams` and `nestjs-task-streams/…` stand for, by folder of the sources. */
const entryPoints = ['', 'admin', 'health', 'otel', 'prometheus'];

/**
 * The last step of a build of the library: from what the compiler wrote, makes the package that is published. The Lua
 * scripts are part of the code, so that it needs no file at run time. The code is there as ES modules and as CommonJS, each
 * in a few files, which load several times as fast as hundreds, with the declarations that somebody can come upon.
 *
 * @param {{ dist: string, scripts: string }} folders `dist`: what the compiler wrote, and the result; `scripts`: the Lua sources
 */
export async function finishLibrary({ dist, scripts }) {
  const compiled = await readdir(dist);
  await inlineScripts(dist, scripts);
  for (const format of /** @type {const} */ (['esm', 'cjs'])) {
    const outDir = path.join(dist, format);
    await bundle(dist, outDir, format);
    await copyTypes(dist, outDir);
  }
  await nameTypes(path.join(dist, 'esm'));
  // The package says "module".
  await writeFile(path.join(dist, 'cjs/package.json'), '{ "type": "commonjs" }\n');
  await Promise.all(compiled.map((name) => rm(path.join(dist, name), { recursive: true })));
}

/**
 * @param {string} compiled
 * @param {string} scripts
 */
async function inlineScripts(compiled, scripts) {
  const files = (await readdir(scripts, { recursive: true })).filter((file) => file.endsWith('.lua')).sort();
  /** @type {Record<string, string>} */
  const texts = {};
  for (const file of files) {
    texts[file.replaceAll('\\', '/').slice(0, -'.lua'.length)] = await readFile(path.join(scripts, file), 'utf8');
  }
  const code = `export const SCRIPT_TEXTS = ${JSON.stringify(texts, undefined, 2)};\n`;
  await writeFile(path.join(compiled, 'redis/script-texts.js'), code);
}

/**
 * @param {string} compiled
 * @param {string} outDir
 * @param {'esm' | 'cjs'} format
 */
async function bundle(compiled, outDir, format) {
  const { build } = await import('vite');
  const input = entryPoints.map((name) => [path.posix.join(name, 'index'), path.join(compiled, name, 'index.js')]);
  await build({
    configFile: false,
    logLevel: 'warn',
    root: compiled,
    build: {
      ssr: true,
      outDir,
      minify: false,
      target: 'node20',
      copyPublicDir: false,
      emptyOutDir: false,
      rolldownOptions: {
        input: Object.fromEntries(input),
        external: (id) => !id.startsWith('.') && !path.isAbsolute(id),
        experimental: { attachDebugInfo: 'none' },
        output: {
          format,
          esModule: true,
          entryFileNames: '[name].js',
          chunkFileNames: 'shared/[name].js',
          // In CommonJS, Jest has no import().
          dynamicImportInCjs: false,
          // Names of classes are in messages and in the stacks of errors.
          keepNames: true,
        },
      },
    },
  });
}

/**
 * @param {string} compiled
 * @param {string} outDir
 */
async function copyTypes(compiled, outDir) {
  const entries = entryPoints.map((name) => path.join(compiled, name, 'index.d.ts'));
  for (const file of await reachableTypes(entries)) {
    const target = path.join(outDir, path.relative(compiled, file));
    await mkdir(path.dirname(target), { recursive: true });
    await writeFile(target, await readFile(file));
  }
}

/**
 * Gives the types a value, `Object`, as TypeScript itself does: SWC cannot know that `TaskEvent` in a decorated signature
 * is a type, imports it, and Node would refuse the module. CommonJS asks for no name before it is used.
 *
 * @param {string} esm
 */
async function nameTypes(esm) {
  for (const name of entryPoints) {
    const types = typeNames(await readFile(path.join(esm, name, 'index.d.ts'), 'utf8'));
    if (types.length === 0) continue;
    const exported = types.map((type) => `$Type as ${type}`).join(', ');
    const code = `\n// The types, for compilers that cannot tell that they are.\nconst $Type = Object;\nexport { ${exported} };\n`;
    await writeFile(path.join(esm, name, 'index.js'), code, { flag: 'a' });
  }
}

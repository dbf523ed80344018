import { mkdir, readFile, readdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import ts from 'typescript';

/** @type {ts.CompilerOptions} */
const options = {
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.ESNext,
  experimentalDecorators: true,
  emitDecoratorMetadata: true,
  isolatedModules: true,
};

/**
 * Writes the JavaScript of TypeScript files under their own paths. Types are checked by `npm run typecheck`, not here.
 *
 * @param {string} from the root of the sources
 * @param {string} to the root of the output
 * @param {readonly string[]} names files and folders below `from`
 */
export async function transpileFolder(from, to, names) {
  for (const name of names) {
    for (const file of await sourcesBelow(path.join(from, name))) {
      const target = path.join(to, path.relative(from, file)).replace(/\.ts$/, '.js');
      const { outputText } = ts.transpileModule(await readFile(file, 'utf8'), {
        compilerOptions: options,
        fileName: file,
      });
      await mkdir(path.dirname(target), { recursive: true });
      await writeFile(target, outputText);
    }
  }
}

/**
 * @param {string} start
 * @returns {Promise<string[]>}
 */
async function sourcesBelow(start) {
  if ((await stat(start)).isFile()) return [start];
  const entries = await readdir(start, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.name.endsWith('.spec.ts'))
    .map((entry) => path.join(entry.parentPath, entry.name));
}

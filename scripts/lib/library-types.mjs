import { readFile } from 'node:fs/promises';
import path from 'node:path';

const relativeImport = /(?:\bfrom |\bimport |\bimport\()['"](\.[^'"]+)\.js['"]/g;

/**
 * The declarations that some others need, those included.
 *
 * @param {readonly string[]} entries absolute paths of .d.ts files
 * @returns {Promise<string[]>}
 */
export async function reachableTypes(entries) {
  const files = new Set(entries);
  for (const file of files) {
    for (const [, specifier = ''] of (await readFile(file, 'utf8')).matchAll(relativeImport)) {
      files.add(path.resolve(path.dirname(file), `${specifier}.d.ts`));
    }
  }
  return [...files];
}

/**
 * The names that a module exports as types only.
 *
 * @param {string} declarations
 * @returns {string[]}
 */
export function typeNames(declarations) {
  return [...declarations.matchAll(/^export type \{([^}]*)\}/gm)].flatMap(([, list = '']) =>
    list
      .split(',')
      .map((name) => name.trim().replace(/^.* as /, ''))
      .filter((name) => name !== ''),
  );
}

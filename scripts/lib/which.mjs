import { accessSync, constants, statSync } from 'node:fs';
import path from 'node:path';

/**
 * @param {string} file
 * @returns {boolean} whether the file is there and this user may run it
 */
export function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/**
 * @param {string} program
 * @param {NodeJS.ProcessEnv} env
 * @returns {string | undefined} the first program of that name on PATH
 */
export function which(program, env) {
  const folders = (env['PATH'] ?? '').split(path.delimiter).filter(Boolean);
  return folders.map((folder) => path.join(folder, program)).find(isExecutable);
}

import { mkdir, rename, rm } from 'node:fs/promises';

/**
 * Makes a folder that appears whole or not at all.
 *
 * @param {string} target
 * @param {(scratch: string) => Promise<void>} make fills the folder it is given
 */
export async function makeWhole(target, make) {
  const scratch = `${target}.tmp-${process.pid}`;
  await rm(scratch, { recursive: true, force: true });
  await mkdir(scratch, { recursive: true });
  try {
    await make(scratch);
    await rename(scratch, target);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

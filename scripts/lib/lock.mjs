import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const pollMs = 200;
const ownerlessMs = 10_000;

/**
 * @param {number} pid
 * @returns {boolean} whether a process of that number runs, ours or another user's
 */
export function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM';
  }
}

/**
 * Lets one process at a time do the work; the others wait. A lock whose owner died is taken over.
 *
 * @template T
 * @param {string} lockDir the folder that stands for the lock
 * @param {() => Promise<T>} work
 * @param {{ waitMs?: number, onWait?: (ownerPid: number | undefined) => void }} [options] `waitMs` 10 minutes unless told
 * @returns {Promise<T>}
 */
export async function withLock(lockDir, work, { waitMs = 600_000, onWait } = {}) {
  const deadline = Date.now() + waitMs;
  let hasWaited = false;
  while (!(await tryLock(lockDir))) {
    if (await removeIfStale(lockDir)) continue;
    if (!hasWaited) onWait?.(await ownerOf(lockDir));
    hasWaited = true;
    if (Date.now() > deadline) {
      throw new Error(`The lock ${lockDir} was not free within ${waitMs} ms. If nothing uses it, delete that folder.`);
    }
    await delay(pollMs);
  }
  try {
    return await work();
  } finally {
    await rm(lockDir, { recursive: true, force: true });
  }
}

/** @param {string} lockDir */
async function tryLock(lockDir) {
  await mkdir(path.dirname(lockDir), { recursive: true });
  try {
    await mkdir(lockDir);
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'EEXIST') return false;
    throw error;
  }
  await writeFile(path.join(lockDir, 'pid'), String(process.pid));
  return true;
}

/**
 * @param {string} lockDir
 * @returns {Promise<number | undefined>}
 */
async function ownerOf(lockDir) {
  const text = await readFile(path.join(lockDir, 'pid'), 'utf8').catch(() => '');
  return Number(text) || undefined;
}

/** @param {string} lockDir */
async function removeIfStale(lockDir) {
  const owner = await ownerOf(lockDir);
  if (owner !== undefined && isAlive(owner)) return false;
  if (owner === undefined) {
    // Between mkdir and the write of the pid a fresh lock has no owner yet; only an old one is stale.
    const made = await stat(lockDir).catch(() => undefined);
    if (made && Date.now() - made.mtimeMs < ownerlessMs) return false;
  }
  const aside = `${lockDir}.stale-${process.pid}-${Date.now()}`;
  // Of several waiters only one can rename the folder away; the others find it gone and try again.
  const isRemoved = await rename(lockDir, aside).then(
    () => true,
    () => false,
  );
  if (isRemoved) await rm(aside, { recursive: true, force: true });
  return isRemoved;
}

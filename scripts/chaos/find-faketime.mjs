import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { makeWhole } from '../lib/make-whole.mjs';
import { cacheDir } from '../lib/paths.mjs';
import { capture } from '../lib/run-command.mjs';
import { which } from '../lib/which.mjs';
import { AptSession } from '../redis/apt-session.mjs';

const libraryName = 'libfaketime.so.1';

/**
 * The library that gives a process another clock: of this machine, or of the distribution's package, unpacked below the
 * project's cache.
 *
 * @returns {Promise<string | undefined>} its path; undefined where it cannot be had
 */
export async function findFaketime() {
  const installed = await findBelow('/usr/lib');
  if (installed) return installed;
  const home = path.join(cacheDir, 'faketime');
  try {
    if (!existsSync(home)) await makeWhole(home, unpack);
    return await findBelow(path.join(home, 'usr/lib'));
  } catch {
    return undefined;
  }
}

/** @param {string} target */
async function unpack(target) {
  for (const program of ['apt-get', 'dpkg-deb']) if (!which(program, process.env)) throw new Error(`no ${program}`);
  const work = await mkdtemp(path.join(cacheDir, 'faketime-'));
  try {
    const apt = new AptSession(path.join(work, 'apt'), process.env);
    await apt.update();
    await apt.download('libfaketime');
    const archives = await readdir(apt.archivesDir);
    const archive = archives.find((name) => name.startsWith('libfaketime_'));
    if (!archive) throw new Error('the distribution has no libfaketime');
    const { code, stderr } = await capture('dpkg-deb', ['--extract', path.join(apt.archivesDir, archive), target]);
    if (code !== 0) throw new Error(`dpkg-deb cannot unpack ${archive}: ${stderr.trim()}`);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/**
 * @param {string} libDir where the folders of machines lie, such as x86_64-linux-gnu
 * @returns {Promise<string | undefined>}
 */
async function findBelow(libDir) {
  const names = await readdir(libDir).catch(() => []);
  return names.map((name) => path.join(libDir, name, 'faketime', libraryName)).find((file) => existsSync(file));
}

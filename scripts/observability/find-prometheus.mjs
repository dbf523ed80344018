import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { withLock } from '../lib/lock.mjs';
import { cacheDir, relativeToRoot } from '../lib/paths.mjs';
import { capture } from '../lib/run-command.mjs';
import { which } from '../lib/which.mjs';
import { AptSession } from '../redis/apt-session.mjs';

/** @typedef {{ prometheus: string, promtool: string, source: string }} Prometheus */

const home = path.join(cacheDir, 'prometheus', `${process.platform}-${process.arch}`);

/**
 * Prometheus and promtool: from PATH, else the distribution's package, unpacked below the project's cache without
 * installing it.
 *
 * @param {(line: string) => void} log
 * @returns {Promise<Prometheus>}
 */
export async function findPrometheus(log) {
  const [prometheus, promtool] = ['prometheus', 'promtool'].map((program) => which(program, process.env));
  if (prometheus && promtool) return { prometheus, promtool, source: 'PATH' };
  const cached = await inspect(home);
  if (cached) return cached;
  const missing = ['apt-get', 'dpkg-deb'].find((program) => !which(program, process.env));
  if (missing) throw new Error(howToGetIt(`${missing} is not on PATH`));
  return withLock(`${home}.lock`, async () => (await inspect(home)) ?? (await fetchPackage(log)));
}

/** @param {(line: string) => void} log */
async function fetchPackage(log) {
  log(`no Prometheus on PATH: fetching the distribution's package into ${relativeToRoot(home)} (about 20 MB, once)`);
  await mkdir(path.dirname(home), { recursive: true });
  const work = await mkdtemp(`${home}.tmp-`);
  try {
    const apt = new AptSession(path.join(work, 'apt'), process.env);
    await apt.update();
    const { code, stderr } = await apt.downloadAlone('prometheus');
    if (code !== 0) throw new Error(howToGetIt(`apt-get could not download it: ${stderr.trim().split('\n').at(-1)}`));
    const unpacked = path.join(work, 'unpacked');
    for (const name of await readdir(apt.archivesDir)) {
      if (name.endsWith('.deb')) await capture('dpkg-deb', ['--extract', path.join(apt.archivesDir, name), unpacked]);
    }
    await rm(home, { recursive: true, force: true });
    // Whole or not at all: the folder appears by one rename.
    await rename(unpacked, home);
    const found = await inspect(home);
    if (!found) throw new Error(howToGetIt('the unpacked package does not run on this machine'));
    return found;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/**
 * @param {string} dir
 * @returns {Promise<Prometheus | undefined>}
 */
async function inspect(dir) {
  const [prometheus, promtool] = ['prometheus', 'promtool'].map((name) => path.join(dir, 'usr', 'bin', name));
  if (!prometheus || !promtool) return undefined;
  const { code } = await capture(promtool, ['--version']);
  return code === 0 ? { prometheus, promtool, source: relativeToRoot(dir) } : undefined;
}

/** @param {string} why */
function howToGetIt(why) {
  return (
    `There is no Prometheus to test with: it is not on PATH, and ${why}.\n` +
    'Install it (apt install prometheus, brew install prometheus, or a download of prometheus.io), so that prometheus ' +
    'and promtool are on PATH, and run this again.'
  );
}

import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { withLock } from '../lib/lock.mjs';
import { relativeToRoot } from '../lib/paths.mjs';
import { which } from '../lib/which.mjs';
import { AptSession } from './apt-session.mjs';
import { inspectBinary } from './binary.mjs';
import { unpackServer } from './unpack-server.mjs';
import { whyTooOld } from './version.mjs';

/** @typedef {import('./find-server.mjs').Provider} Provider */
/** @typedef {import('./find-server.mjs').Finding} Finding */
/** @typedef {{ package: string, loader: string, libraries: string, server: string }} Recipe paths are relative to the folder */

/** The tools packages hold the server program too; the server packages only add a service to it. */
const packages = /** @type {const} */ ([
  ['valkey-tools', 'Valkey'],
  ['redis-tools', 'Redis'],
]);
const recipeName = 'recipe.json';

/**
 * Debian, Ubuntu and their relatives: the distribution's own package, unpacked below the project's cache.
 *
 * @type {Provider}
 */
export async function findInAptArchive({ env, redisCacheDir, log }) {
  const home = path.join(redisCacheDir, `${process.platform}-${process.arch}`);
  const cached = await inspectCached(home);
  if (cached) return cached;
  const missing = ['apt-get', 'apt-cache', 'dpkg-deb'].find((program) => !which(program, env));
  if (missing) return { reason: `no package of a distribution: ${missing} is not on PATH` };
  try {
    return await withLock(
      `${home}.lock`,
      async () => (await inspectCached(home)) ?? (await fetchServer({ home, env, log })),
      { onWait: (pid) => log(`waiting for process ${pid}, which downloads the same server`) },
    );
  } catch (error) {
    return { reason: `no package of the distribution: ${error instanceof Error ? error.message : String(error)}` };
  }
}

/**
 * @param {string} home
 * @returns {Promise<Finding | undefined>} undefined when nothing usable is there
 */
async function inspectCached(home) {
  const text = await readFile(path.join(home, recipeName), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  /** @type {Recipe} */
  const recipe = JSON.parse(text);
  const finding = await inspectBinary({
    command: path.join(home, recipe.loader),
    // The machine may lack the server's libraries or have others: its own loader finds them in its own folder.
    args: ['--library-path', path.join(home, recipe.libraries), path.join(home, recipe.server)],
    source: `the distribution's ${recipe.package} in ${relativeToRoot(home)}`,
  });
  return 'server' in finding ? finding : undefined;
}

/**
 * @param {{ home: string, env: NodeJS.ProcessEnv, log: (line: string) => void }} context
 * @returns {Promise<Finding>}
 */
async function fetchServer({ home, env, log }) {
  await removeLeftovers(home);
  const work = await mkdtemp(`${home}.tmp-`);
  try {
    log(`no server on PATH: fetching the distribution's package into ${relativeToRoot(home)} (about 20 MB, once)`);
    const chosen = await chooseAndDownload(new AptSession(path.join(work, 'apt'), env));
    if ('reason' in chosen) return chosen;
    const ready = path.join(work, 'ready');
    const layout = await unpackServer({ archivesDir: chosen.archivesDir, scratch: work, target: ready, env });
    await writeFile(path.join(ready, recipeName), JSON.stringify({ package: chosen.package, ...layout }, undefined, 2));
    // Whole or not at all: the folder appears by one rename, so nobody ever sees half a server.
    await rm(home, { recursive: true, force: true });
    await rename(ready, home);
    return (await inspectCached(home)) ?? { reason: `the unpacked ${chosen.package} does not run on this machine` };
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/**
 * What a killed run left behind; the caller holds the lock, so nobody uses it.
 *
 * @param {string} home
 */
async function removeLeftovers(home) {
  const parent = path.dirname(home);
  await mkdir(parent, { recursive: true });
  const leftovers = (await readdir(parent)).filter((name) => name.startsWith(`${path.basename(home)}.tmp-`));
  await Promise.all(leftovers.map((name) => rm(path.join(parent, name), { recursive: true, force: true })));
}

/**
 * @param {AptSession} apt
 * @returns {Promise<{ package: string, archivesDir: string } | { reason: string }>}
 */
async function chooseAndDownload(apt) {
  const updated = await apt.update();
  const candidates = await apt.candidates(packages.map(([name]) => name));
  /** @type {string[]} */
  const reasons = [];
  for (const [name, serverName] of packages) {
    const candidate = candidates.get(name);
    // A Debian version is [epoch:]upstream[-revision].
    const version = candidate?.replace(/^\d+:/, '').match(/^[\d.]+/)?.[0];
    if (!candidate || !version) continue;
    const tooOld = whyTooOld({ name: serverName, version });
    if (tooOld) {
      reasons.push(`the distribution's ${name}: ${tooOld}`);
      continue;
    }
    const downloaded = await apt.download(name);
    if (downloaded.code === 0) return { package: `${name} ${candidate}`, archivesDir: apt.archivesDir };
    reasons.push(`the distribution's ${name} could not be downloaded: ${firstComplaint(downloaded.stderr)}`);
  }
  const fallback = `the distribution offers no redis-tools or valkey-tools (${firstComplaint(updated.stderr)})`;
  return { reason: reasons.join('; ') || fallback };
}

/**
 * @param {string} text what apt-get complained about
 * @returns {string} the first complaint that names a cause
 */
function firstComplaint(text) {
  const lines = text.trim().split('\n').filter(Boolean);
  // Its last line often only sums up: "Some index files failed to download."
  return lines.find((line) => /^[EW]: (?!Some )/.test(line)) ?? lines.at(-1) ?? 'apt-get gave no reason';
}

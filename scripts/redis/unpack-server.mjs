import { chmod, copyFile, lstat, mkdir, readdir, readlink, symlink } from 'node:fs/promises';
import path from 'node:path';
import { capture } from '../lib/run-command.mjs';

// redis-server is the same program as redis-check-rdb: it goes by the name it is called by.
const programNames = ['valkey-server', 'redis-server', 'valkey-check-rdb', 'redis-check-rdb'];
const loaderName = /^ld(-linux.*|64)\.so\.\d+$/;
const libraryName = /\.so(\.\d+)*$/;

/** @typedef {{ loader: string, libraries: string, server: string }} Layout paths below the target */

/**
 * Unpacks downloaded packages and keeps of them what the server needs: the program, its loader and its libraries.
 *
 * @param {{ archivesDir: string, scratch: string, target: string, env: NodeJS.ProcessEnv }} options
 * @returns {Promise<Layout>}
 */
export async function unpackServer({ archivesDir, scratch, target, env }) {
  const unpacked = path.join(scratch, 'unpacked');
  for (const name of await readdir(archivesDir)) {
    if (!name.endsWith('.deb')) continue;
    const { code, stderr } = await capture('dpkg-deb', ['--extract', path.join(archivesDir, name), unpacked], { env });
    if (code !== 0) throw new Error(`dpkg-deb cannot unpack ${name}: ${stderr.trim()}`);
  }
  const entries = await readdir(unpacked, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile() || entry.isSymbolicLink())
    .map((entry) => path.join(entry.parentPath, entry.name));
  const server = await copyProgram(files, target);
  const loader = await copyLibraries(files, path.join(target, 'lib'));
  return { server, libraries: 'lib', loader: `lib/${loader}` };
}

/**
 * @param {readonly string[]} files
 * @param {string} target
 */
async function copyProgram(files, target) {
  const found = programNames.map((name) => files.find((file) => file.endsWith(`/bin/${name}`))).find(Boolean);
  if (!found) throw new Error(`the packages hold none of ${programNames.join(', ')}`);
  const server = path.basename(found).startsWith('valkey') ? 'bin/valkey-server' : 'bin/redis-server';
  await mkdir(path.join(target, 'bin'), { recursive: true });
  await copyFile(found, path.join(target, server));
  await chmod(path.join(target, server), 0o755);
  return server;
}

/**
 * @param {readonly string[]} files
 * @param {string} libDir
 * @returns {Promise<string>} the name of the dynamic loader
 */
async function copyLibraries(files, libDir) {
  await mkdir(libDir, { recursive: true });
  /** @type {Set<string>} */
  const copied = new Set();
  let loader;
  for (const file of files) {
    const name = path.basename(file);
    // Debian keeps libraries of a machine in a folder named like x86_64-linux-gnu; plug-ins lie in folders below it.
    if (!path.basename(path.dirname(file)).includes('-linux-') || !libraryName.test(name)) continue;
    if (copied.has(name)) continue;
    copied.add(name);
    const target = path.join(libDir, name);
    if ((await lstat(file)).isSymbolicLink()) {
      await symlink(path.basename(await readlink(file)), target);
      continue;
    }
    await copyFile(file, target);
    if (loaderName.test(name)) loader = name;
  }
  if (!loader) throw new Error('the packages hold no dynamic loader');
  await chmod(path.join(libDir, loader), 0o755);
  return loader;
}

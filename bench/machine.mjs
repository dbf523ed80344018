import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { arch, cpus, loadavg, release, totalmem, type } from 'node:os';
import path from 'node:path';
import { root } from '../scripts/lib/paths.mjs';

/**
 * Where and with what something was measured.
 *
 * @typedef {object} Machine
 * @property {string} date
 * @property {string} cpu
 * @property {number} cores
 * @property {string} memory
 * @property {string} system
 * @property {string} node
 * @property {string} redis
 * @property {Readonly<Record<string, string>>} packages
 * @property {readonly number[]} loadAtStart over 1, 5 and 15 minutes
 */

const packages = ['bullmq', '@nestjs/bullmq', 'bee-queue', 'ioredis', '@nestjs/core', '@nestjs/microservices', 'rxjs'];

/**
 * @param {import('../scripts/redis/index.mjs').RedisServer} server
 * @param {string} modulesOf the folder whose node_modules the measured programs use first
 * @returns {Promise<Machine>}
 */
export async function describeMachine(server, modulesOf) {
  const versions = await Promise.all(packages.map(async (name) => [name, await installedVersion(name, modulesOf)]));
  return {
    date: new Date().toISOString().slice(0, 16).replace('T', ' '),
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: cpus().length,
    memory: `${Math.round(totalmem() / 2 ** 30)} GiB`,
    system: `${type()} ${release()} ${arch()}`,
    node: process.versions.node,
    redis: `${server.name} ${server.version}`,
    packages: {
      'nestjs-task-streams': await versionOf(path.join(root, 'libs/task-streams')),
      ...Object.fromEntries(versions),
    },
    loadAtStart: loadAverage(),
  };
}

/** @returns {number[]} over 1, 5 and 15 minutes */
export function loadAverage() {
  return loadavg().map((load) => Math.round(load * 100) / 100);
}

/**
 * @param {string} name
 * @param {string} modulesOf
 */
function installedVersion(name, modulesOf) {
  const first = path.join(modulesOf, 'node_modules', name);
  return versionOf(existsSync(first) ? first : path.join(root, 'node_modules', name));
}

/**
 * @param {string} folder
 * @returns {Promise<string>}
 */
async function versionOf(folder) {
  return JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8')).version;
}

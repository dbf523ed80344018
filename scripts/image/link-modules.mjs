import { mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { root } from '../lib/paths.mjs';

/**
 * What `npm ci` or `npm prune --omit=dev` leaves, as links to the packages that are installed here: quick, and a package that
 * is not linked is not found.
 *
 * @param {string} dir the folder of the image
 * @param {{ isPruned: boolean }} options
 */
export function linkModules(dir, { isPruned }) {
  const { packages } = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8'));
  for (const name of Object.keys(packages)) {
    if (/^(libs\/[^/]+\/)?node_modules$/.test(folderOf(name))) rmSync(path.join(dir, folderOf(name)), removal);
  }
  for (const [name, { dev, link, resolved }] of Object.entries(packages)) {
    if (!isTop(name) || (isPruned && dev)) continue;
    const place = path.join(dir, name);
    mkdirSync(path.dirname(place), { recursive: true });
    // Relative within the image: a stage that copies the link finds its own copy of the library behind it.
    symlinkSync(link ? path.relative(path.dirname(place), path.join(dir, resolved)) : path.join(root, name), place);
  }
  symlinkSync(path.join(root, 'node_modules/.bin'), path.join(dir, 'node_modules/.bin'));
}

const removal = { recursive: true, force: true };

/**
 * Packages inside other packages come with those.
 *
 * @param {string} name
 */
function isTop(name) {
  return /^(?:libs\/[^/]+\/)?node_modules\/(?:@[^/]+\/)?[^/]+$/.test(name);
}

/** @param {string} name */
function folderOf(name) {
  return name.slice(0, name.indexOf('node_modules') + 'node_modules'.length);
}

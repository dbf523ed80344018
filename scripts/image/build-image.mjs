import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { root } from '../lib/paths.mjs';
import { capture, runNpm } from '../lib/run-command.mjs';
import { imageFiles } from './image-files.mjs';
import { linkModules } from './link-modules.mjs';
import { readCopy } from './read-dockerfile.mjs';

const WORKDIR = '/app';

/**
 * Does what the Dockerfile says, without Docker: each stage in a folder of its own with nothing but what COPY brings, and the
 * packages that are installed here in place of `npm ci`. Then loads what came out.
 *
 * @template T
 * @param {(folders: { build: string, image: string }) => T | Promise<T>} use what to do with the folders before they go
 * @returns {Promise<T>}
 */
export async function buildImage(use) {
  const dir = mkdtempSync(path.join(tmpdir(), 'nestjs-task-streams-image-'));
  try {
    const { stages, copied, missing } = imageFiles();
    if (missing.length > 0) throw new Error(`COPY finds nothing for ${missing.join(', ')}: see .dockerignore.`);
    for (const [index, { name, steps }] of stages.entries()) {
      const stage = {
        dir: path.join(dir, name || `${index}`),
        copied,
        dirOf: (/** @type {string} */ from) => path.join(dir, from),
      };
      mkdirSync(stage.dir);
      for (const step of steps) await run(step, stage);
    }
    const image = path.join(dir, stages.at(-1)?.name || `${stages.length - 1}`);
    await load(image);
    return await use({ build: path.join(dir, 'build'), image });
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** @typedef {{ dir: string, copied: ReadonlyMap<string, string>, dirOf: (stage: string) => string }} StageFolder */

/**
 * @param {import('./read-dockerfile.mjs').Instruction} step
 * @param {StageFolder} stage
 */
async function run({ kind, text }, stage) {
  if (kind === 'COPY') return copy(readCopy(text), stage);
  if (kind !== 'RUN') return;
  for (const command of text.split('&&').map((part) => part.trim())) await runCommand(command, stage.dir);
}

/**
 * @param {import('./read-dockerfile.mjs').Copy} what
 * @param {StageFolder} stage
 */
function copy({ from, sources, target }, { dir, copied, dirOf }) {
  if (from === undefined) {
    for (const [place, file] of copied) cpSync(path.join(root, file), path.join(dir, place));
    return;
  }
  for (const source of sources) {
    const found = path.join(dirOf(from), path.posix.relative(WORKDIR, source));
    if (!existsSync(found)) throw new Error(`COPY --from=${from} finds no ${source}: the stage did not write it.`);
    const place = target.endsWith('/') ? path.join(target, path.posix.basename(source)) : target;
    cpSync(found, path.join(dir, place), { recursive: true, verbatimSymlinks: true });
  }
}

/**
 * @param {string} command
 * @param {string} dir
 */
async function runCommand(command, dir) {
  const [program, verb = '', name = ''] = command.split(/\s+/);
  if (program === 'npm' && verb === 'ci') return linkModules(dir, { isPruned: false });
  if (program === 'npm' && verb === 'prune') return linkModules(dir, { isPruned: true });
  // Outside of the folder, and nothing that the app is made of.
  if (program === 'mkdir' || program === 'chown') return;
  if (program !== 'npm' || verb !== 'run') throw new Error(`scripts/image does not know how to do RUN ${command}.`);
  const code = await runNpm(['run', '--silent', name], dir);
  if (code !== 0) {
    throw new Error(`RUN ${command} of the Dockerfile failed with exit code ${code}: see its output above.`);
  }
}

/**
 * The app and the command line find all that they import, with the packages that are left.
 *
 * @param {string} image
 */
async function load(image) {
  const programs = [
    ['--input-type=module', '--eval', "await import('./dist/app.module.js')"],
    ['libs/task-streams-cli/bin/task-streams.js', '--version'],
  ];
  for (const args of programs) {
    const { code, stderr } = await capture(process.execPath, args, { cwd: image, timeoutMs: 60_000 });
    if (code !== 0) throw new Error(`In the image, node ${args.join(' ')} fails with exit code ${code}:\n${stderr}`);
  }
}

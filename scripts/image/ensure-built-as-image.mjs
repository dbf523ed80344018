import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { buildLock, ensureBuilt, markBuilt, sourceFingerprint } from '../lib/build.mjs';
import { fingerprint } from '../lib/fingerprint.mjs';
import { withLock } from '../lib/lock.mjs';
import { root } from '../lib/paths.mjs';
import { buildImage } from './build-image.mjs';
import { imageFiles } from './image-files.mjs';

const outputs = ['libs/task-streams/dist', 'libs/task-streams-cli/dist', 'dist'];
const stampFile = path.join(root, 'dist', '.image-stamp');

/**
 * Builds what the tests run as the Dockerfile builds it, and takes its output over: one build shows both that the sources build
 * and that the image has all that this needs.
 *
 * @param {(line: string) => void} log
 */
export async function ensureBuiltAsImage(log) {
  await withLock(buildLock, async () => {
    // Taken before: what changes during the build is not in its output.
    const [sources, image] = [sourceFingerprint(), imageFingerprint()];
    if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === image) return;
    log('building the library, its command line and the sample app as the Dockerfile does (without Docker)');
    await buildImage(({ build }) => outputs.forEach((output) => takeOver(output, build)));
    markBuilt(sources);
    writeFileSync(stampFile, image);
  });
  await ensureBuilt(log);
}

/**
 * @param {string} output
 * @param {string} from
 */
function takeOver(output, from) {
  rmSync(path.join(root, output), { recursive: true, force: true });
  cpSync(path.join(from, output), path.join(root, output), { recursive: true });
}

function imageFingerprint() {
  return fingerprint(['Dockerfile', '.dockerignore', 'package-lock.json', ...imageFiles().copied.values()]);
}

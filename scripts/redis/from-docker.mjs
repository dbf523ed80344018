import { capture } from '../lib/run-command.mjs';
import { which } from '../lib/which.mjs';
import { parseVersionLine, whyTooOld } from './version.mjs';

/** @typedef {import('./find-server.mjs').Provider} Provider */

export const dockerImage = 'valkey/valkey:8';
const pullTimeoutMs = 300_000;

/** @type {Provider} */
export async function findInDocker({ env, log }) {
  const command = which('docker', env);
  if (!command) return { reason: 'Docker is not on PATH' };
  const info = await capture(command, ['info', '--format', '{{.ServerVersion}}'], { env, timeoutMs: 10_000 });
  if (info.code !== 0) return { reason: 'Docker is installed, but its daemon does not answer `docker info`' };
  log(`asking Docker for ${dockerImage} (the first time it downloads the image)`);
  const asked = await capture(command, ['run', '--rm', dockerImage, 'valkey-server', '--version'], {
    env,
    timeoutMs: pullTimeoutMs,
  });
  const version = parseVersionLine(asked.stdout);
  if (!version) return { reason: `Docker cannot run ${dockerImage}: ${lastLine(asked.stderr)}` };
  const tooOld = whyTooOld(version);
  if (tooOld) return { reason: `${dockerImage} in Docker: ${tooOld}` };
  return { server: { kind: 'docker', command, args: [], source: `${dockerImage} in Docker`, ...version } };
}

/** @param {string} text */
function lastLine(text) {
  return text.trim().split('\n').at(-1) || 'it printed no version';
}

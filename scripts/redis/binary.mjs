import { capture } from '../lib/run-command.mjs';
import { parseVersionLine, whyTooOld } from './version.mjs';

/** @typedef {import('./find-server.mjs').Finding} Finding */

/**
 * Asks a server program for its version and decides whether it can be used.
 *
 * @param {{ command: string, args: string[], source: string }} program
 * @returns {Promise<Finding>}
 */
export async function inspectBinary({ command, args, source }) {
  const { code, stdout, stderr } = await capture(command, [...args, '--version']);
  const version = parseVersionLine(stdout);
  if (code !== 0 || !version) {
    return { reason: `${source}: does not run (${(stderr || stdout).trim().split('\n')[0] || `exit code ${code}`})` };
  }
  const tooOld = whyTooOld(version);
  if (tooOld) return { reason: `${source}: ${tooOld}` };
  return { server: { kind: 'process', command, args, source, ...version } };
}

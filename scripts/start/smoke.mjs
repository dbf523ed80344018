import { existsSync } from 'node:fs';
import { AppProcess, appScripts } from './app-process.mjs';

const smokeTimeoutMs = 300_000;

/**
 * Runs the smoke script of the sample app against a running app.
 *
 * @param {{ url: string, pidsFile: string, print: (line: string) => void, interrupted: Promise<string> }} options
 *   `interrupted` ends it early, with the reason
 * @returns {Promise<number>} the exit code of the script; 1 when it did not end by itself
 */
export async function runSmoke({ url, pidsFile, print, interrupted }) {
  if (!existsSync(appScripts.smoke)) throw new Error('dist/smoke.js is missing: is there a src/smoke.ts?');
  const env = { SMOKE_URL: url, SMOKE_WORKER_PIDS_FILE: pidsFile };
  const smoke = new AppProcess({ name: 'smoke', script: appScripts.smoke, env, print });
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const late = new Promise((resolve) => {
    timer = setTimeout(() => resolve(`it took longer than ${smokeTimeoutMs} ms`), smokeTimeoutMs);
  });
  const reason = await Promise.race([smoke.exited.then(() => undefined), late, interrupted]);
  clearTimeout(timer);
  if (reason !== undefined) {
    print(`smoke: stopped, ${reason}`);
    await smoke.stop(1_000);
    return 1;
  }
  const { code, how } = await smoke.exited;
  print(code === 0 ? 'smoke: passed' : `smoke: failed with ${how}`);
  return code ?? 1;
}

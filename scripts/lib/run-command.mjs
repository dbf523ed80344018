import { spawn } from 'node:child_process';
import { root } from './paths.mjs';

/**
 * @typedef {object} CommandResult
 * @property {number} code the exit code; 127 when the command could not be started, 128 when a signal ended it
 * @property {string} stdout
 * @property {string} stderr
 */

/**
 * Runs a command to its end and keeps what it printed. Never rejects: a missing program is a result like any other.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ timeoutMs?: number, env?: NodeJS.ProcessEnv, cwd?: string }} [options] `timeoutMs` 30,000 unless told, 0 for none
 * @returns {Promise<CommandResult>}
 */
export function capture(command, args, { timeoutMs = 30_000, env = process.env, cwd } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { env, cwd, stdio: ['ignore', 'pipe', 'pipe'], timeout: timeoutMs });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text) => (stderr += text));
    child.once('error', (error) => resolve({ code: 127, stdout, stderr: error.message }));
    child.once('close', (code) => resolve({ code: code ?? 128, stdout, stderr }));
  });
}

/**
 * Runs a command with the terminal of this process.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ env?: NodeJS.ProcessEnv, cwd?: string }} [options] `cwd` the root of the repository unless told
 * @returns {Promise<number>} the exit code
 */
export function runInTerminal(command, args, { env = process.env, cwd = root } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd, env, stdio: 'inherit' });
    child.once('error', (error) => {
      console.error(`${command} could not be started: ${error.message}`);
      resolve(127);
    });
    child.once('close', (code) => resolve(code ?? 128));
  });
}

/**
 * @param {readonly string[]} args
 * @param {string} [cwd] the root of the repository unless told
 * @returns {Promise<number>} the exit code
 */
export function runNpm(args, cwd = root) {
  const npm = npmCommand();
  return runInTerminal(npm.command, [...npm.args, ...args], { cwd });
}

/**
 * As {@link runNpm}, and keeps what was printed: for several side by side.
 *
 * @param {readonly string[]} args
 * @returns {Promise<CommandResult>}
 */
export function captureNpm(args) {
  const npm = npmCommand();
  return capture(npm.command, [...npm.args, ...args], { timeoutMs: 0, cwd: root });
}

/** Inside `npm start` npm names its own script: running that with Node needs no npm on PATH and no shell on Windows. */
function npmCommand() {
  const npmScript = process.env['npm_execpath'];
  return npmScript?.endsWith('.js') ? { command: process.execPath, args: [npmScript] } : { command: 'npm', args: [] };
}

import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { capture } from '../lib/run-command.mjs';
import { dockerImage } from './from-docker.mjs';

/** @typedef {import('node:child_process').ChildProcess} ChildProcess */
/** @typedef {import('./find-server.mjs').RedisServer} RedisServer */

/**
 * How one server is started and how a signal reaches it.
 *
 * @typedef {object} LaunchPlan
 * @property {string} command
 * @property {string[]} args
 * @property {boolean} isDirectChild whether the pid we get is the server's own
 * @property {(child: ChildProcess, signal: NodeJS.Signals) => Promise<void>} send
 */

/** @typedef {{ dir: string, port: number, appendOnly: boolean, extraArgs: readonly string[] }} ServerSettings */

/**
 * @param {RedisServer} server
 * @param {ServerSettings} settings
 * @returns {LaunchPlan}
 */
export function planLaunch(server, settings) {
  return server.kind === 'docker' ? planContainer(server, settings) : planProcess(server, settings);
}

/**
 * @param {RedisServer} server
 * @param {ServerSettings} settings
 * @returns {LaunchPlan}
 */
function planProcess(server, settings) {
  const own = [...server.args, '--bind', '127.0.0.1', '--port', String(settings.port), '--dir', settings.dir];
  const args = [...own, ...commonArgs(settings)];
  // The kernel then ends the server with us even when we are killed; setpriv becomes the server, so the pid is the same.
  const [command, ...prefix] = endsWithParent() ? ['setpriv', '--pdeathsig', 'TERM', server.command] : [server.command];
  return {
    command,
    args: [...prefix, ...args],
    isDirectChild: true,
    send: async (child, signal) => void child.kill(signal),
  };
}

/**
 * @param {RedisServer} server
 * @param {ServerSettings} settings
 * @returns {LaunchPlan}
 */
function planContainer(server, settings) {
  const name = `nestjs-task-streams-${settings.port}-${randomBytes(4).toString('hex')}`;
  // Files in the mounted folder should belong to the user who started this, not to the image's user.
  const user = process.getuid && process.getgid ? ['--user', `${process.getuid()}:${process.getgid()}`] : [];
  const container = ['--rm', '--name', name, '-p', `127.0.0.1:${settings.port}:6379`, '-v', `${settings.dir}:/data`];
  // Inside the container any address may connect; only the loopback port above leads there.
  const own = ['--port', '6379', '--dir', '/data', '--protected-mode', 'no'];
  return {
    command: server.command,
    args: ['run', ...container, ...user, dockerImage, 'valkey-server', ...own, ...commonArgs(settings)],
    isDirectChild: false,
    send: async (_child, signal) => {
      const { code, stderr } = await capture(server.command, ['kill', '--signal', signal, name]);
      if (code !== 0) throw new Error(`docker kill --signal ${signal} ${name} failed: ${stderr.trim()}`);
    },
  };
}

/** @param {ServerSettings} settings */
function commonArgs({ appendOnly, extraArgs }) {
  return [
    ...['--save', '', '--appendonly', appendOnly ? 'yes' : 'no', '--maxmemory-policy', 'noeviction'],
    ...['--daemonize', 'no', '--logfile', ''],
    ...extraArgs,
  ];
}

/** @type {boolean | undefined} */
let isSetprivUsable;

function endsWithParent() {
  // BusyBox has a setpriv without this option, so it is asked rather than looked up.
  isSetprivUsable ??=
    process.platform === 'linux' && spawnSync('setpriv', ['--pdeathsig', 'keep', 'true']).status === 0;
  return isSetprivUsable;
}

import type { ServerReport } from '../contracts/server-report.interface.js';
import type { ResolvedOptions } from '../options/resolved-options.js';
import { classifyRedisError, cureOf } from '../policy/redis-error.js';
import { RedisUnavailableError } from '../task/redis-unavailable.error.js';
import { TaskStreamsError } from '../task/task-streams.error.js';
import { Connections } from './connections.js';
import { loadScript, type Script } from './load-script.js';
import { queueKeys, type QueueKeys } from './queue-keys.js';
import type { RedisClient } from './redis-client.js';
import { runScript, type ScriptArgument } from './run-script.js';
import { readServerReport } from './server-report.js';
import { whenReady } from './when-ready.js';
import { withoutSecrets } from './without-secrets.js';
import { WorkerIdentity } from './worker-identity.js';

const READY_TIMEOUT_MS = 2_000;

/** The names of the scripts, which are files of the folder `scripts`. */
export const SCRIPT_NAMES = [
  'append',
  'audit',
  'begin',
  'cancel',
  'check-redrive',
  'claim',
  'claim-key',
  'depth',
  'discard',
  'drain',
  'ensure',
  'feed',
  'feed-leave',
  'forget-id',
  'forget-key',
  'get',
  'import',
  'inspect',
  'leave',
  'list',
  'log',
  'pause',
  'probe',
  'progress',
  'promote',
  'prune',
  'publish',
  'reclaim',
  'redrive',
  'renew',
  'reschedule',
  'trim',
  'turn',
  'workers',
] as const;

export type ScriptName = (typeof SCRIPT_NAMES)[number];

/** Finds out about the server behind a client. */
export type ServerDetector = (client: RedisClient) => Promise<ServerReport>;

/** What the parts of the Redis broker share: connections, scripts, keys, and who this process is. */
export class RedisSession {
  readonly connections: Connections;
  readonly identity: WorkerIdentity;
  private readonly scripts = new Map<ScriptName, Script>();

  constructor(
    readonly options: ResolvedOptions,
    readonly detectServer: ServerDetector = readServerReport,
  ) {
    this.connections = new Connections(options);
    this.identity = new WorkerIdentity(options.leaseMs);
  }

  keys(queue: string): QueueKeys {
    return queueKeys(this.options.prefix, queue);
  }

  script(name: ScriptName): Script {
    let script = this.scripts.get(name);
    if (!script) this.scripts.set(name, (script = loadScript(name)));
    return script;
  }

  /** The client for short commands, ready to be used. @throws the error of the connection. */
  async command(): Promise<RedisClient> {
    const client = this.connections.get('command');
    const error = await whenReady(client, READY_TIMEOUT_MS);
    if (error) throw error;
    return client;
  }

  /**
   * Asks a question for a user, who cannot tell what an error of the connection means.
   *
   * @throws RedisUnavailableError when Redis cannot be asked; the reply itself where it answered with another error.
   */
  async ask<T>(question: (client: RedisClient) => Promise<T>): Promise<T> {
    try {
      return await question(await this.command());
    } catch (error) {
      if (error instanceof TaskStreamsError) throw error;
      const cause = withoutSecrets(error) as Error;
      const known = classifyRedisError(cause);
      if (known === 'wrong-type' || known === 'unknown') throw cause;
      throw new RedisUnavailableError(cause.message, { cause, cure: cureOf(cause) });
    }
  }

  /** Runs a script on a queue for a user, as {@link ask}. */
  async runFor(name: ScriptName, queue: string, args: readonly ScriptArgument[]): Promise<unknown> {
    return this.ask((client) => runScript(client, this.script(name), this.keys(queue).stream, args));
  }

  /** Runs a script on a queue. */
  async run(name: ScriptName, queue: string, args: readonly ScriptArgument[]): Promise<unknown> {
    return runScript(await this.command(), this.script(name), this.keys(queue).stream, args);
  }
}

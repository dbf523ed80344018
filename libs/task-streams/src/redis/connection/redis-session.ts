import type { ServerReport } from '../../contracts/server-store.interface.js';
import type { ResolvedOptions } from '../../options/resolved-options.js';
import type { ConnectionRole } from '../../options/task-streams-options.js';
import { classifyRedisError, cureOf } from '../../policy/redis-error.js';
import { RedisUnavailableError } from '../../task/redis-unavailable.error.js';
import { TaskStreamsError } from '../../task/task-streams.error.js';
import { Connections } from './connections.js';
import { loadScript, type Script } from './load-script.js';
import { queueKeys, type QueueKeys } from './queue-keys.js';
import type { RedisClient } from './redis-client.js';
import type { Route } from './route.js';
import { runScript, type ScriptArgument } from './run-script.js';
import { readServerReport } from '../server/server-report.js';
import { withoutSecrets } from './without-secrets.js';
import { WorkerIdentity } from './worker-identity.js';

/** Milliseconds that a short command waits for its connection. */
export const READY_TIMEOUT_MS = 2_000;

/** The names of the scripts, which are files of the folder `scripts`. */
export const SCRIPT_NAMES = [
  'append',
  'audit',
  'begin',
  'cancel',
  'check-redrive',
  'claim',
  'claim-key',
  'discard',
  'drain',
  'ensure',
  'feed',
  'feed-leave',
  'foreign',
  'forget-id',
  'forget-key',
  'get',
  'import',
  'inspect',
  'leave',
  'list',
  'log',
  'pause',
  'preview',
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

  /** The way to the server of a queue. */
  route(role: ConnectionRole, queue: string): Route {
    return this.connections.route(role, this.keys(queue).stream);
  }

  /** Does work with the client for short commands to the server of a queue. @throws the error of the connection. */
  command<T>(queue: string, work: (client: RedisClient) => Promise<T>): Promise<T> {
    return this.route('command', queue).run(READY_TIMEOUT_MS, work);
  }

  /** Clients for short commands to every server that takes writes: one, but on a Cluster. @throws the error of the connection. */
  primaries(): Promise<RedisClient[]> {
    return this.connections.servers.openAll(READY_TIMEOUT_MS);
  }

  /** Asks the server of a queue for a user, as {@link forUser}. */
  ask<T>(queue: string, question: (client: RedisClient) => Promise<T>): Promise<T> {
    return this.forUser(() => this.command(queue, question));
  }

  /**
   * Does something for a user, who cannot tell what an error of the connection means.
   *
   * @throws RedisUnavailableError when Redis cannot be asked; the reply itself where it answered with another error.
   */
  async forUser<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof TaskStreamsError) throw error;
      const cause = withoutSecrets(error) as Error;
      const known = classifyRedisError(cause);
      if (known === 'wrong-type' || known === 'unknown') throw cause;
      throw new RedisUnavailableError(cause.message, { cause, cure: cureOf(cause) });
    }
  }

  /** Runs a script on a queue for a user, as {@link forUser}. */
  async runFor(name: ScriptName, queue: string, args: readonly ScriptArgument[]): Promise<unknown> {
    return this.forUser(() => this.run(name, queue, args));
  }

  /** Runs a script on a queue. */
  async run(name: ScriptName, queue: string, args: readonly ScriptArgument[]): Promise<unknown> {
    return this.command(queue, (client) => this.runOn(client, name, queue, args));
  }

  /** Runs a script on a queue, with a client to its server. */
  runOn(client: RedisClient, name: ScriptName, queue: string, args: readonly ScriptArgument[]): Promise<unknown> {
    return runScript(client, this.script(name), this.keys(queue).stream, args);
  }
}

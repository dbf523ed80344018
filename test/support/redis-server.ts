import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type RedisServer, type RunningRedis, startRedisServer } from '../../scripts/redis/index.mjs';

/** What a test may ask of its server; everything has a default. */
export interface TestRedisOptions {
  /** Whether the server keeps what it wrote over `restart()`. Default: false. */
  readonly appendOnly?: boolean;
  /** More arguments of redis-server, for example `['--maxmemory', '10mb']`. They win over the defaults. */
  readonly extraArgs?: readonly string[];
  /** A certain program instead of the one that is found on this machine. */
  readonly server?: RedisServer;
  /** More variables of its environment. */
  readonly env?: Readonly<Record<string, string>>;
}

/** A Redis that belongs to one test: nothing else runs in it, and the test may end it. */
export interface TestRedis {
  readonly url: string;
  readonly port: number;
  readonly dir: string;
  /** The process that runs now; another one after `restart()`. */
  readonly pid: number;
  /** Ends the server and deletes its folder. Safe to call twice. */
  stop(): Promise<void>;
  /** Sends a signal: SIGKILL is a crash, SIGSTOP and SIGCONT are a pause. Waits until an ended server is gone. */
  kill(signal: NodeJS.Signals): Promise<void>;
  /** Starts it again on the same port and folder; ends it first in the orderly way where it still runs. */
  restart(): Promise<void>;
}

/** Starts a private server in a temporary folder. Whoever starts it stops it. */
export async function startTestRedis(options: TestRedisOptions = {}): Promise<TestRedis> {
  const dir = await mkdtemp(path.join(tmpdir(), 'nestjs-task-streams-test-'));
  try {
    return new PrivateRedis(dir, options, await startRedisServer({ ...options, dir }));
  } catch (error) {
    await rm(dir, { recursive: true, force: true });
    throw error;
  }
}

class PrivateRedis implements TestRedis {
  readonly url: string;
  readonly port: number;

  constructor(
    readonly dir: string,
    private readonly options: TestRedisOptions,
    private running: RunningRedis,
  ) {
    this.url = running.url;
    this.port = running.port;
  }

  get pid(): number {
    return this.running.pid;
  }

  async stop(): Promise<void> {
    await this.running.stop();
    await rm(this.dir, { recursive: true, force: true });
  }

  kill(signal: NodeJS.Signals): Promise<void> {
    return this.running.kill(signal);
  }

  async restart(): Promise<void> {
    await this.running.stop();
    this.running = await startRedisServer({
      ...this.options,
      dir: this.dir,
      port: this.port,
      server: this.running.server,
    });
  }
}

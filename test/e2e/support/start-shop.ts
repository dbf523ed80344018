import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from '../../../scripts/redis/index.mjs';
import { ShopClient } from '../../../src/smoke/shop-client.js';
import { startTestRedis, type TestRedis, type TestRedisOptions } from '../../support/redis-server.js';
import { ShopProcess } from './shop-process.js';

export interface ShopOptions {
  /** Default 2. */
  readonly workers?: number;
  /** More variables of each of its processes. */
  readonly env?: Readonly<Record<string, string>>;
  /** Default: every write on disk before it is answered, as `npm start` has it. */
  readonly redis?: TestRedisOptions;
  /** Does something to Redis before the first process of the shop starts. */
  readonly beforeStart?: (redis: TestRedis) => Promise<void>;
}

/** A whole shop with a Redis and a folder of its own. */
export interface Shop {
  readonly client: ShopClient;
  readonly redis: TestRedis;
  readonly web: ShopProcess;
  /** The workers it was started with. */
  readonly workers: readonly ShopProcess[];
  /** The folder of the reports. */
  readonly reportsDir: string;
  /** Starts one more process and waits until it runs. `env` is added to that of the shop. */
  start(role: 'worker' | 'both', env?: Readonly<Record<string, string>>): Promise<ShopProcess>;
  /** The process of an id. */
  workerOf(pid: number): ShopProcess;
  stop(): Promise<void>;
}

const ON_DISK: TestRedisOptions = { appendOnly: true, extraArgs: ['--appendfsync', 'always'] };

/** A worker that died is noticed within two seconds or so, to keep the tests short. */
const QUICK = { TASK_LEASE_MS: '2000', SHUTDOWN_TIMEOUT_MS: '2000' };

export async function startShop(options: ShopOptions = {}): Promise<Shop> {
  const redis = await startTestRedis(options.redis ?? ON_DISK);
  const dataDir = await mkdtemp(path.join(tmpdir(), 'nestjs-task-streams-shop-'));
  await options.beforeStart?.(redis);
  const port = await freePort();
  const common = {
    ...QUICK,
    REDIS_URL: redis.url,
    HOST: '127.0.0.1',
    PORT: `${port}`,
    DATA_DIR: dataDir,
    ...options.env,
  };
  const processes: ShopProcess[] = [];
  const start = (role: string, env: Readonly<Record<string, string>> = {}): Promise<ShopProcess> => {
    const child = new ShopProcess({ ...common, HEALTH_PORT: '0', TASKS_ROLE: role, ...env });
    processes.push(child);
    return child.started();
  };
  const stop = async (): Promise<void> => {
    await Promise.all(processes.map((child) => child.end('SIGKILL')));
    await redis.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
  try {
    const starting = Array.from({ length: options.workers ?? 2 }, () => start('worker'));
    const [web, ...workers] = await Promise.all([start('web'), ...starting]);
    return {
      client: new ShopClient(`http://127.0.0.1:${port}`),
      redis,
      web,
      workers,
      reportsDir: path.join(dataDir, 'tax-exports'),
      start,
      workerOf: (pid) => findByPid(processes, pid),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function findByPid(processes: readonly ShopProcess[], pid: number): ShopProcess {
  const found = processes.find((one) => one.pid === pid);
  if (found) return found;
  throw new Error(`No process of the shop has pid ${pid}; there are ${processes.map((one) => one.pid).join(', ')}`);
}

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
  /** Every worker that was started, the dead ones too. */
  readonly workers: ShopProcess[];
  /** The folder of the reports. */
  readonly reportsDir: string;
  addWorker(): Promise<ShopProcess>;
  /** The worker of a process id. */
  workerOf(pid: number): ShopProcess;
  stop(): Promise<void>;
}

const ON_DISK: TestRedisOptions = { appendOnly: true, extraArgs: ['--appendfsync', 'always'] };

/** A worker that died is noticed within two seconds or so, to keep the tests short. */
const QUICK = { TASK_LEASE_MS: '2000', SHUTDOWN_TIMEOUT_MS: '2000' };

export async function startShop({
  workers: count = 2,
  redis: redisOptions = ON_DISK,
  beforeStart,
}: ShopOptions = {}): Promise<Shop> {
  const redis = await startTestRedis(redisOptions);
  const dataDir = await mkdtemp(path.join(tmpdir(), 'nestjs-task-streams-shop-'));
  await beforeStart?.(redis);
  const port = await freePort();
  const env = {
    ...QUICK,
    REDIS_URL: redis.url,
    HOST: '127.0.0.1',
    PORT: `${port}`,
    DATA_DIR: dataDir,
    HEALTH_PORT: '0',
  };
  const processes: ShopProcess[] = [];
  const start = (role: string): Promise<ShopProcess> => {
    const child = new ShopProcess({ ...env, TASKS_ROLE: role });
    processes.push(child);
    return child.started();
  };
  const stop = async (): Promise<void> => {
    await Promise.all(processes.map((child) => child.end('SIGKILL')));
    await redis.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
  try {
    const [web, ...workers] = await Promise.all(['web', ...Array.from({ length: count }, () => 'worker')].map(start));
    if (web === undefined) throw new Error('The web process is missing');
    const client = new ShopClient(`http://127.0.0.1:${port}`);
    const reportsDir = path.join(dataDir, 'tax-exports');
    return {
      client,
      redis,
      web,
      workers,
      reportsDir,
      stop,
      addWorker: async () => {
        const worker = await start('worker');
        workers.push(worker);
        return worker;
      },
      workerOf: (pid) => {
        const worker = workers.find((one) => one.pid === pid);
        if (!worker) throw new Error(`No worker has pid ${pid}; there are ${workers.map((one) => one.pid).join(', ')}`);
        return worker;
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

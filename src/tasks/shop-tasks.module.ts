import { Module } from '@nestjs/common';
import { TaskStreamsModule } from 'nestjs-task-streams';
import { AppConfig } from '../config/app-config.js';

const MODE_BY_ROLE = { web: 'producer', worker: 'worker', both: 'both' } as const;

/** The library, set up for the shop: the web process enqueues, the workers run what it enqueued. */
@Module({
  imports: [
    TaskStreamsModule.forRootAsync({
      inject: [AppConfig],
      useFactory: (config: AppConfig) => ({
        connection: { url: config.REDIS_URL },
        mode: MODE_BY_ROLE[config.TASKS_ROLE],
        // A report keeps a core busy: two at once in a worker leave room for the other queues.
        queues: { reports: { concurrency: 2 } },
        leaseMs: config.TASK_LEASE_MS,
        timing: { sweepMs: Math.round(config.TASK_LEASE_MS / 5) },
        shutdownTimeoutMs: config.SHUTDOWN_TIMEOUT_MS,
      }),
    }),
  ],
})
export class ShopTasksModule {}

import { BullModule, getQueueToken, Processor, WorkerHost } from '@nestjs/bullmq';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Job, Queue } from 'bullmq';
import type { Done, Order } from '../orders.js';
import type { Session, SessionOptions, Side } from '../side.js';
import { endStateOfJobs, jobOptions, unfinishedJobs, workerOptions } from './bullmq.js';

/** BullMQ in a Nest application, as Nest's own documents show it. */
export const nestBullmq: Side = { open, unfinished: unfinishedJobs, endState: endStateOfJobs };

async function open(options: SessionOptions): Promise<Session> {
  @Processor(options.queue, { autorun: false, ...workerOptions(options) })
  class Orders extends WorkerHost {
    process(job: Job<Order>): Promise<Done> {
      return options.handle(job.data);
    }
  }

  @Module({
    imports: [
      BullModule.forRoot({ connection: { host: '127.0.0.1', port: options.port } }),
      BullModule.registerQueue({ name: options.queue, defaultJobOptions: jobOptions(options) }),
    ],
    providers: [Orders],
  })
  class BenchModule {}

  const app = await NestFactory.createApplicationContext(BenchModule, { logger: ['error'] });
  const queue = app.get<Queue<Order>>(getQueueToken(options.queue));
  const { worker } = app.get(Orders);
  await Promise.all([queue.waitUntilReady(), worker.waitUntilReady()]);
  return {
    add: (order) => queue.add('run', order),
    addMany: (orders) => queue.addBulk(orders.map((data) => ({ name: 'run', data }))),
    start: () => void worker.run(),
    close: () => app.close(),
  };
}

import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { TaskStreamsModule } from 'nestjs-task-streams';
import { TaskStreamsMetrics, TaskStreamsPrometheusModule } from 'nestjs-task-streams/prometheus';
import { expect, it, onTestFinished } from 'vitest';
import { countCommands, fillQueue } from '../../../scripts/observability/scrape-cost.mjs';
import { Samples } from '../../support/observability/samples.js';
import { startTestRedis } from '../../support/redis-server.js';

it('a scrape runs as many commands for 10,000 waiting tasks as for 10', async () => {
  const server = await startTestRedis();
  onTestFinished(() => server.stop());
  const queues = ['a', 'b', 'c'];
  @Module({
    imports: [
      TaskStreamsModule.forRoot({ connection: { url: server.url }, mode: 'producer' }),
      TaskStreamsPrometheusModule.register({ path: false, cacheMs: 0, queues }),
    ],
  })
  class App {}
  const app = await NestFactory.createApplicationContext(App, { logger: false });
  onTestFinished(() => app.close());
  const metrics = app.get(TaskStreamsMetrics);
  const scrape = async () => new Samples(await metrics.read()).value('queue_tasks', { queue: 'a', state: 'ready' });
  const costOf = () => countCommands(server.url, scrape);

  for (const queue of queues) await fillQueue(server.url, queue, 10);
  // The first scrape loads the script and asks the server for its settings, too.
  expect(await scrape()).toBe(10);
  const few = await costOf();
  for (const queue of queues) await fillQueue(server.url, queue, 9_990);
  const many = await costOf();

  expect(await scrape()).toBe(10_000);
  expect(many).toEqual(few);
  // On the wire it is one command a queue.
  expect(few['evalsha']).toBe(queues.length);
});

import { Injectable, Module, type INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ClientsModule, type ClientProxy } from '@nestjs/microservices';
import {
  defineTask,
  QueueControl,
  OnTaskEvent,
  TaskClient,
  TaskHandler,
  TaskStreamsClientProxy,
  TaskStreamsModule,
  TaskWorkers,
  DeadLetterService,
  type TaskEventOf,
} from 'nestjs-task-streams';
import {
  TaskStreamsMetrics,
  TaskStreamsPrometheusModule,
  type TaskStreamsPrometheusOptions,
} from 'nestjs-task-streams/prometheus';
import { register, Registry } from 'prom-client';
import { firstValueFrom } from 'rxjs';
import { describe, expect, inject, it, onTestFinished } from 'vitest';

import type { Broker } from '../../../libs/task-streams/src/contracts/broker.interface.js';
import { BROKER } from '../../../libs/task-streams/src/contracts/tokens.js';
import { askRedis } from '../../../scripts/redis/index.mjs';
import { Samples } from '../../support/observability/samples.js';
import { startTestRedis } from '../../support/redis-server.js';

@Injectable()
class Handlers {
  #calls = 0;

  @TaskHandler('pay', { queue: 'shop', retry: { backoff: [1] } })
  pay(payload: { readonly fails?: number }): string {
    this.#calls += 1;
    if (this.#calls <= (payload.fails ?? 0)) throw new Error('not yet');
    return 'paid';
  }

  @TaskHandler('break', { queue: 'shop', retry: { attempts: 2, backoff: [1] } })
  break(): never {
    throw new Error('broken');
  }
}

let runs = 0;

interface Started {
  readonly app: INestApplicationContext;
  readonly tasks: TaskClient;
  scrape(): Promise<Samples>;
}

async function start(
  options: TaskStreamsPrometheusOptions = {},
  url = inject('redisUrl'),
  mode: 'both' | 'producer' = 'both',
): Promise<Started> {
  runs += 1;
  @Module({
    imports: [
      TaskStreamsModule.forRoot({
        connection: { url },
        prefix: `prom-${process.pid}-${runs}`,
        timing: { promoteMs: 20 },
        enqueueTimeoutMs: 1_000,
        // A worker says that it is there three times in a lease.
        leaseMs: 2_000,
        mode,
      }),
      TaskStreamsPrometheusModule.register({ path: false, cacheMs: 0, ...options }),
    ],
    providers: [Handlers],
  })
  class App {}
  const app = await NestFactory.createApplicationContext(App, { logger: false });
  onTestFinished(() => app.close());
  if (mode === 'both') app.get(TaskWorkers).start();
  return { app, tasks: app.get(TaskClient), scrape: async () => new Samples(await app.get(TaskStreamsMetrics).read()) };
}

const PAY = { queue: 'shop', task: 'pay' };
const BREAK = { queue: 'shop', task: 'break' };

describe('the metrics', () => {
  it('have every known series from the start, with 0', async () => {
    const { scrape } = await start();
    const samples = await scrape();

    expect(samples.value('dead_letters_total', { ...PAY, reason: 'attempts-exhausted' })).toBe(0);
    expect(samples.value('attempts_total', { ...BREAK, outcome: 'dead' })).toBe(0);
    expect(samples.value('tasks_enqueued_total', { ...PAY, outcome: 'uncertain' })).toBe(0);
    expect(samples.value('transport_errors_total', { operation: 'fetch' })).toBe(0);
    expect(samples.value('wait_seconds_count', PAY)).toBe(0);
    expect(samples.value('queue_tasks', { queue: 'shop', state: 'dead' })).toBe(0);
    expect(samples.value('redis_up')).toBe(1);
    expect(samples.series('build_info')).toHaveLength(1);
    // A worker whose queue never had a task is one all the same.
    const live = { queue: 'shop', group: 'workers', state: 'live' };
    await expect.poll(async () => (await scrape()).value('consumers', live)).toBe(1);
  });

  it('count what tasks do', async () => {
    const { app, tasks, scrape } = await start();
    await tasks.enqueue('pay', { fails: 2 }, { id: 'a' });
    await tasks.enqueue('pay', { fails: 2 }, { id: 'a' });
    await expect(tasks.enqueue('pay', { other: true }, { id: 'a' })).rejects.toThrow('already known');
    const { ref } = await tasks.enqueue('break', {});
    expect(await tasks.result({ queue: 'shop', id: 'a' })).toBe('paid');
    await expect(tasks.result(ref)).rejects.toThrow();
    await expect
      .poll(async () => (await scrape()).value('tasks_finished_total', { ...BREAK, outcome: 'dead' }))
      .toBe(1);

    const samples = await scrape();
    expect(samples.value('tasks_enqueued_total', { ...PAY, outcome: 'enqueued' })).toBe(1);
    expect(samples.value('tasks_enqueued_total', { ...PAY, outcome: 'duplicate' })).toBe(1);
    expect(samples.value('tasks_enqueued_total', { ...PAY, outcome: 'rejected' })).toBe(1);
    expect(samples.value('attempts_total', { ...PAY, outcome: 'retrying' })).toBe(2);
    expect(samples.value('attempts_total', { ...PAY, outcome: 'completed' })).toBe(1);
    expect(samples.value('attempts_total', { ...BREAK, outcome: 'retrying' })).toBe(1);
    expect(samples.value('attempts_total', { ...BREAK, outcome: 'dead' })).toBe(1);
    expect(samples.value('tasks_finished_total', { ...PAY, outcome: 'completed' })).toBe(1);
    expect(samples.value('dead_letters_total', { ...BREAK, reason: 'attempts-exhausted' })).toBe(1);
    expect(samples.value('idempotency_total', { ...PAY, result: 'executed' })).toBe(1);
    // The first attempt only; what retries waited is not waiting for a worker.
    expect(samples.value('wait_seconds_count', PAY)).toBe(1);
    expect(samples.value('handler_duration_seconds_count', { ...PAY, outcome: 'completed' })).toBe(1);
    expect(samples.value('task_age_seconds_count', { ...PAY, outcome: 'completed' })).toBe(1);
    expect(samples.value('payload_bytes_sum', PAY)).toBe(2 * '{"fails":2}'.length);
    expect(samples.value('enqueue_duration_seconds_count', { queue: 'shop' })).toBe(4);
    expect(samples.value('queue_tasks', { queue: 'shop', state: 'dead' })).toBe(1);
    expect(samples.value('oldest_dead_age_seconds', { queue: 'shop' })).toBeGreaterThanOrEqual(0);
    expect(samples.value('consumers', { queue: 'shop', group: 'workers', state: 'live' })).toBe(1);
    expect(samples.value('worker_slots', { queue: 'shop', state: 'free' })).toBe(10);

    const letters = app.get(DeadLetterService);
    const [letter] = (await letters.list('shop')).letters;
    await letters.redrive('shop', letter?.entryId ?? '', { payload: { mended: true } });
    expect((await scrape()).value('redriven_total', { queue: 'shop', mode: 'edited' })).toBe(1);
  });

  it('see the backlog of workers that are elsewhere', async () => {
    const { tasks, scrape } = await start({ queues: ['later'] }, undefined, 'producer');
    await tasks.enqueueMany([
      { task: 'pay', payload: {} },
      { task: 'pay', payload: {} },
      { task: 'pay', payload: {}, options: { delayMs: 60_000 } },
    ]);

    const samples = await scrape();
    expect(samples.value('queue_tasks', { queue: 'shop', state: 'ready' })).toBe(2);
    expect(samples.value('queue_tasks', { queue: 'shop', state: 'delayed' })).toBe(1);
    expect(samples.value('queue_tasks', { queue: 'later', state: 'ready' })).toBe(0);
    expect(samples.value('oldest_ready_age_seconds', { queue: 'shop' })).toBeGreaterThan(0);
    expect(samples.value('tasks_enqueued_total', { ...PAY, outcome: 'enqueued' })).toBe(3);
    expect(samples.value('enqueue_duration_seconds_count', { queue: 'shop' })).toBe(1);
  });

  it('count what a ClientProxy sends, and tell listeners of it', async () => {
    const redis = { connection: { url: inject('redisUrl') }, prefix: `prom-proxy-${process.pid}` };
    const heard: TaskEventOf<'enqueued'>[] = [];
    class Listener {
      @OnTaskEvent('enqueued')
      hear(event: TaskEventOf<'enqueued'>): void {
        heard.push(event);
      }
    }
    @Module({
      imports: [
        TaskStreamsModule.forRoot({ ...redis, mode: 'producer' }),
        TaskStreamsPrometheusModule.register({ path: false, cacheMs: 0 }),
        ClientsModule.register([
          { name: 'PROXY', customClass: TaskStreamsClientProxy, options: { ...redis, queue: 'shop' } },
        ]),
        ClientsModule.registerAsync([
          {
            name: 'LATER',
            useFactory: () => ({ customClass: TaskStreamsClientProxy, options: { ...redis, queue: 'shop' } }),
          },
        ]),
      ],
      providers: [Handlers, Listener],
    })
    class App {}
    const app = await NestFactory.createApplicationContext(App, { logger: false });
    onTestFinished(() => app.close());

    await firstValueFrom(app.get<ClientProxy>('PROXY').emit('pay', {}));
    await firstValueFrom(app.get<ClientProxy>('LATER').emit('pay', {}));

    const samples = new Samples(await app.get(TaskStreamsMetrics).read());
    expect(samples.value('tasks_enqueued_total', { ...PAY, outcome: 'enqueued' })).toBe(2);
    expect(samples.value('enqueue_duration_seconds_count', { queue: 'shop' })).toBe(2);
    await expect.poll(() => heard).toMatchObject([{ task: 'pay' }, { task: 'pay' }]);
  });

  it('say whether a queue is paused', async () => {
    const { app, scrape } = await start({ queues: ['later'] }, undefined, 'producer');
    expect((await scrape()).value('queue_paused', { queue: 'shop' })).toBe(0);

    await app.get(QueueControl).pause('shop', { actor: 'ann' });
    const samples = await scrape();
    expect(samples.value('queue_paused', { queue: 'shop' })).toBe(1);
    expect(samples.value('queue_paused', { queue: 'later' })).toBe(0);

    await app.get(QueueControl).resume('shop');
    expect((await scrape()).value('queue_paused', { queue: 'shop' })).toBe(0);
  });

  it('make no series out of names from outside', async () => {
    const { tasks, scrape } = await start({}, undefined, 'producer');
    await tasks.enqueue('tenant-4711', {}, { queue: 'queue-of-4711' });
    await tasks.enqueue(defineTask('declared.here', { queue: 'mail' }), {});
    const refused = defineTask<bigint>('refused.here', { queue: 'mail' });
    await expect(tasks.enqueue(refused, 1n)).rejects.toThrow();

    const samples = await scrape();
    expect(samples.value('tasks_enqueued_total', { queue: 'other', task: 'other', outcome: 'enqueued' })).toBe(1);
    expect(samples.value('tasks_enqueued_total', { queue: 'mail', task: 'declared.here', outcome: 'enqueued' })).toBe(
      1,
    );
    expect(samples.value('tasks_enqueued_total', { queue: 'mail', task: 'declared.here', outcome: 'full' })).toBe(0);
    expect(samples.value('tasks_enqueued_total', { queue: 'mail', task: 'refused.here', outcome: 'rejected' })).toBe(1);
    expect(samples.series('').filter((series) => series.includes('4711'))).toEqual([]);
  });

  it('say that Redis is down, show no old numbers, and do not hang', async () => {
    const server = await startTestRedis();
    onTestFinished(() => server.stop());
    const { tasks, scrape } = await start({ deadlineMs: 200 }, server.url, 'producer');
    await tasks.enqueue('pay', {});
    expect((await scrape()).value('queue_tasks', { queue: 'shop', state: 'ready' })).toBe(1);
    await server.kill('SIGSTOP');
    onTestFinished(() => server.kill('SIGCONT'));

    const began = performance.now();
    const samples = await scrape();

    expect(performance.now() - began).toBeLessThan(2_000);
    expect(samples.value('redis_up')).toBe(0);
    expect(samples.series('queue_tasks')).toEqual([]);
    expect(samples.value('collect_errors_total', { target: 'queues' })).toBe(1);
    await expect(tasks.enqueue('pay', {})).rejects.toThrow();
    expect((await scrape()).value('tasks_enqueued_total', { ...PAY, outcome: 'uncertain' })).toBe(1);
    await server.kill('SIGCONT');
    await expect.poll(async () => (await scrape()).value('redis_up')).toBe(1);
  });

  it('show the queues of a Redis that is full, and count who could not enqueue', async () => {
    const server = await startTestRedis();
    onTestFinished(() => server.stop());
    const { app, tasks, scrape } = await start({}, server.url, 'producer');
    await tasks.enqueue('pay', {});
    await app.get<Broker>(BROKER).server.checkWrites('shop');
    await askRedis(server.url, [['CONFIG', 'SET', 'maxmemory', '1']]);

    await expect(tasks.enqueue('pay', {})).rejects.toThrow(/maxmemory|OOM/);
    await expect(app.get<Broker>(BROKER).server.checkWrites('shop')).rejects.toThrow(/maxmemory|OOM/);
    const samples = await scrape();
    expect(samples.value('tasks_enqueued_total', { ...PAY, outcome: 'full' })).toBe(1);
    expect(samples.value('redis_up')).toBe(1);
    expect(samples.value('queue_tasks', { queue: 'shop', state: 'ready' })).toBe(1);
  });

  it('are served at a path', async () => {
    @Module({
      imports: [
        TaskStreamsModule.forRoot({ connection: { url: inject('redisUrl') }, prefix: `prom-http-${process.pid}` }),
        TaskStreamsPrometheusModule.register({ path: 'internal/metrics' }),
      ],
    })
    class App {}
    const app = await NestFactory.create(App, { logger: false });
    onTestFinished(() => app.close());
    await app.listen(0, '127.0.0.1');

    const response = await fetch(`${await app.getUrl()}/internal/metrics`);
    expect(response.headers.get('content-type')).toMatch(/^text\/plain;.*version=0\.0\.4/);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(new Samples(await response.text()).value('redis_up')).toBe(1);
  });

  it('leave a registry that is shared as it was', async () => {
    const registry = new Registry();
    const first = await start({ registry });
    await first.app.close();
    expect(registry.getMetricsAsArray()).toEqual([]);
    const { scrape } = await start({ registry, prefix: '' });
    await scrape();
    expect(registry.getSingleMetric('attempts_total')).toBeDefined();
    expect(register.getMetricsAsArray()).toEqual([]);
  });

  it('name the option that cannot work', () => {
    expect(() => TaskStreamsPrometheusModule.register({ prefix: 'my-app' })).toThrow(
      'TaskStreamsPrometheusModule.register.prefix',
    );
    expect(() => TaskStreamsPrometheusModule.register({ buckets: { wait_seconds: [2, 1] } })).toThrow('rising');
    expect(() => TaskStreamsPrometheusModule.register({ pfad: 'x' } as never)).toThrow('no such option');
  });
});

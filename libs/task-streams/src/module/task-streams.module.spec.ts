import {
  Controller,
  Global,
  Inject,
  Injectable,
  Module,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
  type Type,
} from '@nestjs/common';
import { EventPattern, MessagePattern } from '@nestjs/microservices';
import { Test } from '@nestjs/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { FakeBroker } from '../../../../test/support/nest/fake-broker.js';
import { FakePool } from '../../../../test/support/nest/fake-pool.js';
import { createTaskApp, startTaskApp } from '../../../../test/support/nest/task-app.js';
import { BROKER, ERROR_CLASSIFIER } from '../contracts/tokens.js';
import { TaskClient } from '../producer/task-client.js';
import { DuplicateHandlerError, UsageError } from '../task/config-errors.js';
import { defineTask } from '../task/task-contract.js';
import { RedisStreamsServer } from '../transport/redis-streams.server.js';
import { TaskHandler } from '../handlers/task-handler.decorator.js';
import { TaskWorkers } from '../transport/task-workers.js';
import { WorkerPool } from '../worker/worker-pool.js';
import { InjectTaskClient } from './inject-task-client.decorator.js';
import { TaskStreamsModule } from './task-streams.module.js';

@Injectable()
class MailTasks {
  @TaskHandler('mail.send', { queue: 'mail' })
  send(): string {
    return 'sent';
  }
}

@Controller()
class MailController {
  @TaskHandler('mail.open', { queue: 'mail' })
  open(): string {
    return 'opened';
  }

  @EventPattern('order.created')
  foreign(_data: unknown): void {}

  @MessagePattern('sum')
  alsoForeign(): number {
    return 1;
  }
}

afterEach(() => vi.useRealTimers());

describe('the handlers of an application', () => {
  it('are found on providers and controllers, and those of other transports are left out', async () => {
    const { app, pool } = await startTaskApp({
      providers: [MailTasks],
      controllers: [MailController],
      options: { concurrency: 3, queues: { mail: { concurrency: 2 } } },
    });
    expect([...app.get(RedisStreamsServer).getHandlers().keys()].sort()).toEqual(['mail/mail.open', 'mail/mail.send']);
    expect(pool.plans).toEqual([{ name: 'mail', concurrency: 2 }]);
    await app.close();
  });

  it('are found behind custom providers and on base classes, and once behind an alias', async () => {
    class Derived extends MailTasks {}
    class Overriding extends MailTasks {
      override send(): string {
        return 'not a handler';
      }
    }
    const { app } = await startTaskApp({
      providers: [
        { provide: 'factory', useFactory: () => new Derived() },
        { provide: 'alias', useExisting: 'factory' },
        { provide: 'same', useFactory: (it: unknown) => it, inject: ['factory'] },
        Overriding,
      ],
    });
    expect([...app.get(RedisStreamsServer).getHandlers().keys()]).toEqual(['mail/mail.send']);
    await app.close();
  });

  it('are refused where a task has two, with both places', async () => {
    @Injectable()
    class Second {
      @TaskHandler('mail.send', { queue: 'mail' })
      again(): void {}
    }
    const { app } = await createTaskApp({ providers: [MailTasks, Second] });
    const error: unknown = await app.startAllMicroservices().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(DuplicateHandlerError);
    expect(String(error)).toMatch(/MailTasks\.send \(.*\) and Second\.again \(/);
    await app.close();
  });

  it('are refused where a provider is listed in two modules', async () => {
    @Module({ providers: [MailTasks] })
    class First {}
    @Module({ providers: [MailTasks] })
    class Second {}
    const { app } = await createTaskApp({ imports: [First, Second] });
    await expect(app.startAllMicroservices()).rejects.toThrow(
      /MailTasks\.send \(First\) and MailTasks\.send \(Second\)/,
    );
    await app.close();
  });

  it('may have the same name in two queues', async () => {
    @Injectable()
    class Other {
      @TaskHandler('mail.send', { queue: 'bulk' })
      send(): void {}
    }
    const { app, pool } = await startTaskApp({ providers: [MailTasks, Other] });
    expect(pool.plans?.map(({ name }) => name)).toEqual(['mail', 'bulk']);
    await app.close();
  });
});

describe('the start of the workers', () => {
  it('comes after listen() and the last bootstrap hook, whichever is later', async () => {
    const trace: string[] = [];
    @Module({ providers: [MailTasks] })
    class Root implements OnApplicationBootstrap {
      onApplicationBootstrap(): void {
        trace.push(`bootstrap, started ${pool.startCount}`);
      }
    }
    const { app, pool } = await createTaskApp({ imports: [Root] });
    await app.startAllMicroservices();
    expect(pool.startCount).toBe(0);
    await app.init();
    expect(trace).toEqual(['bootstrap, started 0']);
    expect(pool.startCount).toBe(1);
    await app.close();

    const late = await createTaskApp({ providers: [MailTasks] });
    await late.app.init();
    expect(late.pool.startCount).toBe(0);
    await late.app.startAllMicroservices();
    await late.app.startAllMicroservices();
    expect(late.pool.startCount).toBe(1);
    await late.app.close();
  });

  it('comes by itself with autoStart, and by TaskWorkers', async () => {
    const automatic = await createTaskApp({ providers: [MailTasks], options: { autoStart: true } });
    await automatic.app.init();
    expect(automatic.pool.startCount).toBe(1);
    await automatic.app.close();
    const manual = await createTaskApp({ providers: [MailTasks] });
    await manual.app.init();
    manual.app.get(TaskWorkers).start();
    expect(manual.pool.startCount).toBe(1);
    await manual.app.get(TaskWorkers).stop();
    expect(() => manual.app.get(TaskWorkers).start()).toThrow(UsageError);
    await manual.app.close();
  });

  it('never comes in a producer', async () => {
    const { app, pool } = await startTaskApp({
      providers: [MailTasks],
      options: { mode: 'producer', autoStart: true },
    });
    expect(pool.startCount).toBe(0);
    expect(() => app.get(TaskWorkers).start()).toThrow(/"worker" or "both"/);
    await app.close();
  });

  it('reaches handlers on controllers in a plain context too', async () => {
    const pool = new FakePool();
    const module = await Test.createTestingModule({
      imports: [TaskStreamsModule.forRoot()],
      controllers: [MailController],
    })
      .overrideProvider(BROKER)
      .useValue(new FakeBroker())
      .overrideProvider(WorkerPool)
      .useValue(pool)
      .compile();
    await module.init();
    module.get(TaskWorkers).start();
    expect(pool.plans?.map(({ name }) => name)).toEqual(['mail']);
    await module.close();
  });

  it('leaves a timer behind neither after a start nor after a close', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { app } = await createTaskApp({ providers: [MailTasks] });
    await app.init();
    // The warning that nobody listens, and the next look at the server.
    expect(vi.getTimerCount()).toBe(2);
    await app.close();
    expect(vi.getTimerCount()).toBe(0);
  });
});

/** A database that closes when Nest says so. */
function databaseOf(trace: string[]): Type {
  @Injectable()
  class Database implements OnModuleDestroy {
    onModuleDestroy(): void {
      trace.push('database closed');
    }
  }
  return Database;
}

describe('the end of the workers', () => {
  it.each(['root', 'feature', 'global'])('is over before a database in a %s module closes', async (place) => {
    const trace: string[] = [];
    const Database = databaseOf(trace);
    @Module({ providers: [Database], exports: [Database] })
    class DatabaseModule {}
    if (place === 'global') Global()(DatabaseModule);
    const { app, pool } = await startTaskApp({
      imports: place === 'root' ? [] : [DatabaseModule],
      providers: place === 'root' ? [Database, MailTasks] : [MailTasks],
    });
    const client = app.get(TaskClient);
    pool.onDrain = async () => {
      trace.push('drain');
      await new Promise((resolve) => setTimeout(resolve, 5));
      await client.enqueue('mail.send', {});
      trace.push('drained');
    };
    await app.close();
    expect(trace).toEqual(['drain', 'drained', 'database closed']);
  });

  it('comes once, and the connections close after it', async () => {
    const { app, pool, broker } = await startTaskApp({ providers: [MailTasks] });
    pool.onDrain = () => expect(broker.isClosed).toBe(false);
    const server = app.get(RedisStreamsServer);
    await Promise.all([server.close(), server.close()]);
    await app.close();
    expect([pool.drainCount, broker.isClosed]).toEqual([1, true]);
  });
});

describe('TaskStreamsModule', () => {
  it('makes its options asynchronously, from a factory or a class', async () => {
    @Injectable()
    class Config {
      createTaskStreamsOptions() {
        return { autoStart: true };
      }
    }
    @Module({ providers: [Config], exports: [Config] })
    class ConfigModule {}
    const variants = [
      { imports: [ConfigModule], inject: [Config], useFactory: (config: Config) => config.createTaskStreamsOptions() },
      { imports: [ConfigModule], useExisting: Config },
      { useClass: Config },
    ];
    for (const options of variants) {
      const pool = new FakePool();
      const module = await Test.createTestingModule({
        imports: [TaskStreamsModule.forRootAsync(options)],
        providers: [MailTasks],
      })
        .overrideProvider(BROKER)
        .useValue(new FakeBroker())
        .overrideProvider(WorkerPool)
        .useValue(pool)
        .compile();
      await module.init();
      expect(pool.startCount).toBe(1);
      await module.close();
    }
    expect(() => TaskStreamsModule.forRootAsync({})).toThrow(UsageError);
  });

  it('lets a part be replaced', async () => {
    const classifier = { classify: () => ({ kind: 'defer', delayMs: 5 }) };
    @Injectable()
    class Failing {
      @TaskHandler('work')
      run(): never {
        throw new Error('boom');
      }
    }
    const { app, run } = await startTaskApp({
      providers: [Failing],
      extras: { providers: [{ provide: ERROR_CLASSIFIER, useValue: classifier }] },
    });
    expect(await run()).toMatchObject({ kind: 'defer', delayMs: 5 });
    await app.close();
  });

  it('knows the queue of a name from the handlers and from forFeature', async () => {
    @Injectable()
    class Sender {
      constructor(
        @Inject(TaskClient) readonly tasks: TaskClient,
        @InjectTaskClient('bulk') readonly bulk: TaskClient,
      ) {}
    }
    const { app, broker } = await startTaskApp({
      imports: [TaskStreamsModule.forFeature([defineTask('news.send', { queue: 'bulk' })])],
      providers: [MailTasks, Sender],
      extras: { isGlobal: false },
    });
    const { tasks, bulk } = app.get(Sender);
    await tasks.enqueue('mail.send', {});
    await tasks.enqueue('news.send', {});
    await bulk.enqueue('anything', {});
    expect(broker.appended.map(({ queue }) => queue)).toEqual(['mail', 'bulk', 'bulk']);
    await app.close();
  });

  it('refuses to be set up twice', async () => {
    @Module({ imports: [TaskStreamsModule.forRoot({ prefix: 'other' })] })
    class Second {}
    await expect(createTaskApp({ imports: [Second] })).rejects.toThrow(/twice/);
  });
});

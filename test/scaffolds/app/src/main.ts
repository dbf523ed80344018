import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { TaskClient, TaskFailedError, TaskStreamsModule } from 'nestjs-task-streams';
import type { TaskRef } from 'nestjs-task-streams';
import { openTaskStreams } from 'nestjs-task-streams/admin';
import { SharedTasks } from 'scaffold-shared';
import { AppModule } from './app.module.js';
import { sendMail } from './mail.tasks.js';

const wait = { timeoutMs: 20_000 };

/** Starts the application, uses every entry point of the package once, and says so. */
async function bootstrap(): Promise<void> {
  const app = await NestFactory.create(AppModule, { logger: ['warn', 'error'] });
  TaskStreamsModule.connect(app);
  await app.startAllMicroservices();
  await app.listen(0, '127.0.0.1');
  const tasks = app.get(TaskClient);

  const sent = await tasks.enqueue(sendMail, { to: 'ann@example.com' });
  expectEqual(await tasks.result(sent.ref, wait), 'sent to ann@example.com');
  await expectDead(tasks, 'nobody@example.com');

  // Of a package that has its own copy of the library: its error, its client and its handler.
  await expectDead(tasks, 'everybody@example.com');
  const shared = app.get(SharedTasks);
  const counted = await shared.enqueueCount();
  expectEqual(await tasks.result(counted.ref as TaskRef, wait), 1);

  const url = await app.getUrl();
  expectEqual((await fetch(`${url}/health`)).status, 200);
  const metrics = await (await fetch(`${url}/metrics`)).text();
  expectEqual(metrics.includes('task_streams_build_info{version="'), true);

  const admin = openTaskStreams({
    connection: { url: process.env['REDIS_URL'] ?? '' },
    prefix: process.env['TASKS_PREFIX'] ?? '',
  });
  expectEqual(
    (await admin.letters.list('mail')).letters.map(({ reason }) => reason).join(),
    'non-retryable,non-retryable',
  );
  await admin.close();
  await app.close();
  console.log('the application did its tasks');
}

/** At its first attempt: there is no use in others. */
async function expectDead(tasks: TaskClient, to: string): Promise<void> {
  const { ref } = await tasks.enqueue(sendMail, { to });
  const failure: unknown = await tasks.result(ref, wait).catch((error: unknown) => error);
  expectEqual(failure instanceof TaskFailedError, true);
  expectEqual((await tasks.get(ref))?.failedAttempts, 1);
}

function expectEqual(actual: unknown, expected: unknown): void {
  if (actual !== expected) throw new Error(`expected ${String(expected)}, and it is ${String(actual)}`);
}

void bootstrap().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});

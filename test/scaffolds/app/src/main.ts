import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { TaskClient, TaskFailedError, TaskStreamsModule } from 'nestjs-task-streams';
import { openTaskStreams } from 'nestjs-task-streams/admin';
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
  const failure: unknown = await tasks
    .enqueue(sendMail, { to: 'nobody@example.com' })
    .then(({ ref }) => tasks.result(ref, wait))
    .catch((error: unknown) => error);
  if (!(failure instanceof TaskFailedError)) throw failure;

  const url = await app.getUrl();
  expectEqual((await fetch(`${url}/health`)).status, 200);
  const metrics = await (await fetch(`${url}/metrics`)).text();
  expectEqual(metrics.includes('task_streams_build_info{version="'), true);

  const admin = openTaskStreams({
    connection: { url: process.env['REDIS_URL'] ?? '' },
    prefix: process.env['TASKS_PREFIX'] ?? '',
  });
  expectEqual((await admin.letters.list('mail')).letters.map(({ reason }) => reason).join(), 'non-retryable');
  await admin.close();
  await app.close();
  console.log('the application did its tasks');
}

function expectEqual(actual: unknown, expected: unknown): void {
  if (actual !== expected) throw new Error(`expected ${String(expected)}, and it is ${String(actual)}`);
}

void bootstrap().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});

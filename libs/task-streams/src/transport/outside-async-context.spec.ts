import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable } from '@nestjs/common';
import { expect, it } from 'vitest';
import { createTaskApp } from '../../../../test/support/nest/task-app.js';
import { TaskHandler } from '../handlers/task-handler.decorator.js';
import { TaskWorkers } from './task-workers.js';

@Injectable()
class Tasks {
  @TaskHandler('work')
  run(): void {}
}

it('starts the workers outside of the AsyncLocalStorage of the code that starts them', async () => {
  const storage = new AsyncLocalStorage<string>();
  const { app, pool } = await createTaskApp({ providers: [Tasks] });
  const seen: unknown[] = [];
  const start = pool.start.bind(pool);
  pool.start = (plans) => {
    seen.push(storage.getStore());
    start(plans);
  };
  await storage.run('boot', async () => {
    await app.init();
    app.get(TaskWorkers).start();
  });
  expect(seen).toEqual([undefined]);
  await app.close();
});

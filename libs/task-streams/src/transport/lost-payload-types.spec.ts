import { Injectable, ValidationPipe, type Type } from '@nestjs/common';
import 'class-transformer';
import { IsInt } from 'class-validator';
import { afterEach, describe, expect, it } from 'vitest';
import {
  createTaskApp,
  startTaskApp,
  type TaskApp,
  type TaskAppInput,
} from '../../../../test/support/nest/task-app.js';
import type { TaskHandlerOptions } from '../options/handler-options.js';
import { defineTask } from '../task/task-contract.js';
import { TaskHandler } from '../handlers/task-handler.decorator.js';

class Order {
  @IsInt() readonly count!: number;
}

const place = defineTask('work', { payload: Order });

let running: TaskApp | undefined;

afterEach(async () => {
  await running?.app.close();
  running = undefined;
});

/** A handler as the compiler leaves it: what it writes of an `import type` is `Function`, of an interface `Object`. */
function hostOf(typeOfPayload: unknown, task: string | typeof place, options: TaskHandlerOptions = {}): Type {
  class Host {
    run(payload: unknown): unknown {
      return payload;
    }
  }
  Reflect.defineMetadata('design:paramtypes', [typeOfPayload, Object], Host.prototype, 'run');
  const descriptor = Object.getOwnPropertyDescriptor(Host.prototype, 'run') as PropertyDescriptor;
  TaskHandler(task, options as never)(Host.prototype, 'run', descriptor);
  Injectable()(Host);
  return Host;
}

const validating: NonNullable<TaskAppInput['configure']> = (app) => {
  app.useGlobalPipes(new ValidationPipe({ whitelist: true }));
};

describe.each([
  ['import type', Function],
  ['an interface', Object],
])('a payload whose parameter is typed by %s', (_name, type) => {
  it('is validated by the class of the contract, by a pipe of the whole application too', async () => {
    running = await startTaskApp({ providers: [hostOf(type, place)], configure: validating });
    expect(await running.run({ payload: { count: 1, extra: true } })).toMatchObject({
      kind: 'complete',
      result: { json: '{"count":1}' },
    });
    expect(await running.run({ payload: { count: 'one' } })).toMatchObject({
      kind: 'dead-letter',
      info: { reason: 'validation' },
    });
  });
});

describe('a payload whose class nobody knows', () => {
  it('is refused at boot', async () => {
    running = await createTaskApp({ providers: [hostOf(Function, 'work')] });
    await expect(running.app.startAllMicroservices()).rejects.toThrow(
      /payload of Host\.run .* is not there at runtime, because it is imported with `import type`.*validate: false/,
    );
  });

  it.each<[string, TaskHandlerOptions, TaskAppInput]>([
    ['the handler', { validate: false }, {}],
    ['the module', {}, { options: { validate: false } }],
  ])('is taken as it is where %s says so', async (_who, options, input) => {
    running = await startTaskApp({ providers: [hostOf(Function, 'work', options)], configure: validating, ...input });
    expect(await running.run({ payload: { count: 'one' } })).toMatchObject({
      kind: 'complete',
      result: { json: '{"count":"one"}' },
    });
  });
});

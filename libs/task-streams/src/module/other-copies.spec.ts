import { Inject, Injectable, UseInterceptors, type CallHandler, type ExecutionContext } from '@nestjs/common';
import { of } from 'rxjs';
import { afterAll, describe, expect, it } from 'vitest';
import { startTaskApp } from '../../../../test/support/nest/task-app.js';
import { findRun } from '../pipeline/run-context.js';
import type { TaskRun } from '../pipeline/task-run.js';
import { TaskClient } from '../producer/task-client.js';
import { LIBRARY_VERSION } from '../task/library-version.js';
import { TaskHandler } from '../handlers/task-handler.decorator.js';

/** What a copy of this library leaves behind when it is loaded. */
interface Copy {
  readonly version: string;
  readonly classes: Readonly<Record<string, new () => object>>;
}

const copies = (globalThis as unknown as Record<symbol, Copy[]>)[Symbol.for('nestjs-task-streams:copies')] ?? [];

class OtherTaskClient extends Object {}
class OlderTaskClient extends Object {}

describe('beside another copy of the library', () => {
  const added: Copy[] = [
    { version: LIBRARY_VERSION, classes: { TaskClient: OtherTaskClient } },
    { version: '0.0.9', classes: { TaskClient: OlderTaskClient } },
  ];
  copies.push(...added);
  afterAll(() => void copies.splice(copies.indexOf(added[0]!), added.length));

  it('a package that has it injects what the application has', async () => {
    @Injectable()
    class Shared {
      constructor(@Inject(OtherTaskClient) readonly tasks: unknown) {}
    }
    const { app } = await startTaskApp({ providers: [Shared] });
    expect(app.get(Shared).tasks).toBe(app.get(TaskClient));
    expect(() => app.get(OlderTaskClient)).toThrow('OlderTaskClient');
    await app.close();
  });

  it('its interceptors find the run of a task', async () => {
    let found: TaskRun | undefined;
    const interceptor = {
      intercept: (context: ExecutionContext, next: CallHandler) => {
        found = context.switchToRpc().getContext<Record<symbol, TaskRun>>()[Symbol.for('nestjs-task-streams:run')];
        return found === findRun(context) ? next.handle() : of('another run');
      },
    };
    class Tasks {
      @TaskHandler('a')
      @UseInterceptors(interceptor)
      a(): string {
        return 'done';
      }
    }
    const { app, run } = await startTaskApp({ providers: [Tasks] });
    expect(await run({ name: 'a' })).toMatchObject({ kind: 'complete' });
    expect(found?.input.envelope.name).toBe('a');
    await app.close();
  });

  it('of another version, its handlers are refused', async () => {
    class Tasks {
      @TaskHandler('a')
      a(): void {}
    }
    const key = Symbol.for('nestjs-task-streams:handler');
    const declaration = Reflect.getMetadata(key, Tasks.prototype.a) as object;
    Reflect.defineMetadata(key, { ...declaration, version: '0.0.9' }, Tasks.prototype.a);
    await expect(startTaskApp({ providers: [Tasks] })).rejects.toThrow(
      `Tasks.a (RootTestModule) has @TaskHandler of nestjs-task-streams 0.0.9, and TaskStreamsModule is of ${LIBRARY_VERSION}.`,
    );
  });
});

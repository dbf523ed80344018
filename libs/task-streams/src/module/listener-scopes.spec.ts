import { Controller, Inject, Injectable, Scope, type Type } from '@nestjs/common';
import { afterEach, describe, expect, it } from 'vitest';
import { createTaskApp, startTaskApp, type TaskApp } from '../../../../test/support/nest/task-app.js';
import { DeadLetterHandler } from '../dead-letters/dead-letter-handler.decorator.js';
import { DeadLetterHandlers } from '../dead-letters/dead-letter-handlers.js';
import { OnTaskEvent } from '../handlers/on-task-event.decorator.js';

let running: TaskApp | undefined;

afterEach(async () => {
  await running?.app.close();
  running = undefined;
});

const decorators: readonly (readonly [string, () => MethodDecorator])[] = [
  ['@OnTaskEvent', () => OnTaskEvent('enqueued') as MethodDecorator],
  ['@DeadLetterHandler', () => DeadLetterHandler({ queue: 'q' })],
];

function hostOf(decorate: MethodDecorator): Type {
  class Pager {
    hear(): void {}
  }
  decorate(Pager.prototype, 'hear', Object.getOwnPropertyDescriptor(Pager.prototype, 'hear') as PropertyDescriptor);
  return Pager;
}

@Injectable({ scope: Scope.REQUEST })
class OfTheRequest {}

const scopes: readonly (readonly [string, (host: Type) => Type[]])[] = [
  ['made for each request', (host) => (Injectable({ scope: Scope.REQUEST })(host), [host])],
  ['made for each injection', (host) => (Injectable({ scope: Scope.TRANSIENT })(host), [host])],
  [
    'made of something of the request',
    (host) => (Injectable()(host), Inject(OfTheRequest)(host, undefined, 0), [OfTheRequest, host]),
  ],
];

describe.each(decorators)('%s', (name, decorate) => {
  it.each(scopes)('is refused at boot on a provider that is %s', async (_scope, providersOf) => {
    running = await createTaskApp({ providers: providersOf(hostOf(decorate())) });
    const boot = async (): Promise<void> => {
      await running?.app.startAllMicroservices();
      await running?.app.init();
    };
    await expect(boot()).rejects.toThrow(
      new RegExp(`^${name}\\(\\) of Pager\\.hear is on a provider that is made for each request or injection`),
    );
  });
});

describe('listeners on a controller', () => {
  it('are found as on a provider', async () => {
    const heard: string[] = [];
    @Controller()
    class Pager {
      readonly name = 'pager';

      @OnTaskEvent('enqueue-failed')
      event(): void {
        heard.push(this.name);
      }

      @DeadLetterHandler({ queue: 'q' })
      letter(): void {
        heard.push(`${this.name} of letters`);
      }
    }
    running = await startTaskApp({ controllers: [Pager], options: { mode: 'producer' } });
    const found = (running.app.get(DeadLetterHandlers) as unknown as { find(): { handle(): void }[] }).find();
    for (const { handle } of found) handle();
    expect(heard).toEqual(['pager of letters']);
  });
});

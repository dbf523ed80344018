import {
  Injectable,
  UseInterceptors,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import type { Observable } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { startTaskApp, useWholePipeline, type TaskAppInput } from '../../../../test/support/nest/task-app.js';
import type { RetryOptions } from '../options/handler-options.js';
import { TaskHandler } from '../handlers/task-handler.decorator.js';

interface Order {
  readonly items: number[];
}

let seen: number[][] = [];
let seenByInterceptor: number[] = [];

/** Bound above `@TaskHandler`, and so inside of the retries. */
@Injectable()
class LookingInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    seenByInterceptor.push(context.switchToRpc().getData<Order>().items.length);
    return next.handle();
  }
}

/** A handler that leaves nothing of its payload and fails at its first two runs. */
function hostOf(retry: RetryOptions, decorators: readonly MethodDecorator[] = []) {
  @Injectable()
  class Host {
    take(order: Order, @Payload('items') items: number[]): number {
      seen.push([...order.items]);
      const count = items.length;
      order.items.length = 0;
      items.length = 0;
      if (seen.length < 3) throw new Error('not yet');
      return count;
    }
  }
  const descriptor = Object.getOwnPropertyDescriptor(Host.prototype, 'take') as PropertyDescriptor;
  Payload()(Host.prototype, 'take', 0);
  TaskHandler('work', { retry })(Host.prototype, 'take', descriptor);
  for (const decorate of decorators) decorate(Host.prototype, 'take', descriptor);
  return Host;
}

const ways: readonly (readonly [string, TaskAppInput, readonly MethodDecorator[]])[] = [
  ['the short pipeline', {}, []],
  ['the whole pipeline', { configure: useWholePipeline }, []],
  ['an interceptor inside of the retries', {}, [UseInterceptors(LookingInterceptor)]],
];

describe.each(ways)('on %s', (_name, input, decorators) => {
  it('a run at once has a payload of its own', async () => {
    const retry: RetryOptions = { attempts: 1, immediateRetries: 2 };
    seen = [];
    seenByInterceptor = [];
    const { app, run } = await startTaskApp({ providers: [hostOf(retry, decorators)], ...input });
    expect(await run({ payload: { items: [1, 2, 3] } })).toMatchObject({ kind: 'complete', result: { json: '3' } });
    expect(seen).toEqual([
      [1, 2, 3],
      [1, 2, 3],
      [1, 2, 3],
    ]);
    expect(seenByInterceptor).toEqual(decorators.length === 0 ? [] : [3, 3, 3]);
    await app.close();
  });
});

import { Injectable } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { of, type Observable } from 'rxjs';
import { describe, expectTypeOf, it } from 'vitest';
import type { TaskContext } from '../pipeline/task-context.js';
import type { TaskClient } from '../producer/task-client.js';
import { defineTask } from '../task/task-contract.js';
import { TaskHandler } from '../handlers/task-handler.decorator.js';
import { Attempt, TaskId, TaskSignal } from '../handlers/task-params.decorators.js';

class Order {
  readonly id!: string;
  readonly lines?: readonly Line[];
}

class Line {
  readonly count!: number;
}

class Refund {
  readonly charge!: string;
}

interface Placed {
  readonly ok: boolean;
}

const place = defineTask<Order, Placed>('orders.place', { payload: Order });
const untyped = defineTask('orders.any');
const silent = defineTask<Order, void>('orders.silent');

// What compiles here is the test: `npm run typecheck` fails where one of these lines changes its mind.
@Injectable()
class Fitting {
  @TaskHandler(place)
  plain(order: Order): Placed {
    return { ok: order.id !== '' };
  }

  @TaskHandler(place, { queue: 'a', idempotency: { key: ({ id }) => id } })
  async swapped(@Ctx() _ctx: TaskContext, @Payload() _order: Order): Promise<Placed> {
    return { ok: true };
  }

  @TaskHandler(place, { queue: 'b' })
  observable(_order: Pick<Order, 'id'>, _ctx: Pick<TaskContext, 'attempt'>): Observable<Placed> {
    return of({ ok: true });
  }

  @TaskHandler(place, { queue: 'c' })
  members(@Payload('id') _id: string, @Payload('lines') _lines: readonly Line[], @TaskId() _task: string): Placed {
    return { ok: true };
  }

  @TaskHandler(place, { queue: 'd' })
  context(@Attempt() _attempt: number, @TaskSignal() _signal: AbortSignal, @Ctx() _ctx?: TaskContext): Placed {
    return { ok: true };
  }

  @TaskHandler(place, { queue: 'e' })
  byHand(_order: Order, ctx: TaskContext): Placed | undefined {
    ctx.release();
    return undefined;
  }

  @TaskHandler(place, { queue: 'f' })
  never(): never {
    throw new Error('not yet');
  }

  @TaskHandler(untyped)
  anything(_payload: Refund): number {
    return 1;
  }

  @TaskHandler(silent)
  silent(_payload: Order): Promise<number> {
    return Promise.resolve(1);
  }

  @TaskHandler('orders.by-name', { idempotency: { key: (payload: Refund) => payload.charge } })
  byName(_payload: Refund): number {
    return 1;
  }
}

class NotFitting {
  // @ts-expect-error another class than the payload of the contract
  @TaskHandler(place)
  otherPayload(@Payload() _refund: Refund): Placed {
    return { ok: true };
  }

  // @ts-expect-error another class, beside the context
  @TaskHandler(place)
  otherBesideContext(@Ctx() _ctx: TaskContext, @Payload() _refund: Refund): Placed {
    return { ok: true };
  }

  // @ts-expect-error another result than that of the contract
  @TaskHandler(place)
  otherResult(_order: Order): string {
    return 'ok';
  }

  // @ts-expect-error another result, in a promise
  @TaskHandler(place)
  async otherPromise(_order: Order): Promise<{ ok: string }> {
    return { ok: 'yes' };
  }
}

async function receipts(tasks: TaskClient): Promise<void> {
  const receipt = await tasks.enqueue(place, { id: '1' });
  expectTypeOf(await tasks.result(receipt.ref)).toEqualTypeOf<Placed>();
  expectTypeOf(receipt.ref).toExtend<string>();
  expectTypeOf(await tasks.result((await tasks.enqueue('by.name', {})).ref)).toBeUnknown();
  expectTypeOf(await tasks.result('saved~0~1')).toBeUnknown();
  expectTypeOf(await tasks.result<Placed>('saved~0~1')).toEqualTypeOf<Placed>();
  expectTypeOf(await tasks.result<Placed>({ queue: 'q', id: '1' })).toEqualTypeOf<Placed>();
}

describe('a contract', () => {
  it('is kept by the compiler on both sides', () => {
    expectTypeOf(receipts).toBeFunction();
    expectTypeOf<Fitting>().toHaveProperty('plain');
    expectTypeOf<NotFitting>().toHaveProperty('otherPayload');
  });
});

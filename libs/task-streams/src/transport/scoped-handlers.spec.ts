import { Inject, Injectable, Scope } from '@nestjs/common';
import {
  ContextIdFactory,
  REQUEST,
  type ContextId,
  type ContextIdStrategy,
  type HostComponentInfo,
} from '@nestjs/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTaskApp } from '../../../../test/support/nest/task-app.js';
import { TaskContext } from '../pipeline/task-context.js';
import { TaskHandler } from '../handlers/task-handler.decorator.js';

interface Tenant {
  readonly tenant: string;
}

@Injectable({ scope: Scope.REQUEST })
class RequestTasks {
  constructor(@Inject(REQUEST) private readonly request: TaskContext) {}

  @TaskHandler('request')
  run(_payload: unknown, context: TaskContext): unknown {
    return this.request instanceof TaskContext && this.request === context;
  }
}

@Injectable({ scope: Scope.REQUEST, durable: true })
class TenantTasks {
  static madeCount = 0;

  constructor(@Inject(REQUEST) private readonly request: Tenant) {
    TenantTasks.madeCount += 1;
  }

  @TaskHandler('tenant')
  run(): unknown {
    return [this.request.tenant, TenantTasks.madeCount];
  }
}

@Injectable({ scope: Scope.TRANSIENT })
class TransientTasks {
  static madeCount = 0;

  constructor() {
    TransientTasks.madeCount += 1;
  }

  @TaskHandler('transient')
  run(): unknown {
    return TransientTasks.madeCount > 0;
  }
}

@Injectable({ scope: Scope.REQUEST })
class BrokenTasks {
  constructor() {
    throw new Error('cannot be made');
  }

  @TaskHandler('broken')
  run(): void {}
}

/** One instance for each tenant, as the documentation of Nest has it. */
class TenantStrategy implements ContextIdStrategy<TaskContext> {
  readonly #trees = new Map<string, ContextId>();

  attach(contextId: ContextId, context: TaskContext) {
    const tenant = context.headers['tenant'];
    if (tenant === undefined) return undefined;
    const tree = this.#trees.get(tenant) ?? ContextIdFactory.create();
    this.#trees.set(tenant, tree);
    return { resolve: (info: HostComponentInfo) => (info.isTreeDurable ? tree : contextId), payload: { tenant } };
  }
}

const none: ContextIdStrategy = { attach: () => undefined };

describe('a handler that is made for its tasks', () => {
  beforeAll(() => ContextIdFactory.apply(new TenantStrategy()));
  afterAll(() => ContextIdFactory.apply(none));

  it('gets the context of the task as its request', async () => {
    const { app, run } = await startTaskApp({ providers: [RequestTasks] });
    expect(await run({ name: 'request' })).toMatchObject({ kind: 'complete', result: { json: 'true' } });
    await app.close();
  });

  it('lives as long as its tenant where it is durable', async () => {
    const { app, run } = await startTaskApp({ providers: [TenantTasks] });
    const outcomes = [];
    for (const tenant of ['acme', 'acme', 'umbrella']) {
      outcomes.push(await run({ name: 'tenant', head: { headers: { tenant } } }));
    }
    expect(outcomes).toMatchObject([
      { result: { json: '["acme",1]' } },
      { result: { json: '["acme",1]' } },
      { result: { json: '["umbrella",2]' } },
    ]);
    await app.close();
  });

  it('is made where it is transient', async () => {
    const { app, run } = await startTaskApp({ providers: [TransientTasks] });
    expect(await run({ name: 'transient' })).toMatchObject({ kind: 'complete', result: { json: 'true' } });
    await app.close();
  });

  it('fails its attempt when it cannot be made', async () => {
    const { app, run } = await startTaskApp({ providers: [BrokenTasks] });
    expect(await run({ name: 'broken' })).toMatchObject({ kind: 'retry', error: { message: 'cannot be made' } });
    await app.close();
  });
});

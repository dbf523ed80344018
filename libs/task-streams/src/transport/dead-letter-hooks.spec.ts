import { Injectable, Scope, type Type } from '@nestjs/common';
import { afterEach, describe, expect, it } from 'vitest';
import { deadLetter, retry } from '../../../../test/support/broker/settlements.js';
import { deliveryOf, type DeliveryInput } from '../../../../test/support/nest/deliveries.js';
import { createTaskApp, startTaskApp, type TaskApp } from '../../../../test/support/nest/task-app.js';
import type { SettleReply } from '../contracts/work-store.interface.js';
import type { DeadLetter } from '../task/dead-letter.js';
import { defineTask } from '../task/task-contract.js';
import type { TaskOutcome } from '../task/task-outcome.js';
import { OnDeadLetter } from './on-dead-letter.decorator.js';
import { TaskHandler } from '../handlers/task-handler.decorator.js';
import { WorkerEvents } from '../watch/worker-events.js';

const debit = defineTask('payments.debit', { queue: 'payments' });

let running: TaskApp | undefined;
let heard: string[] = [];

afterEach(async () => {
  await running?.app.close();
  running = undefined;
  heard = [];
});

@Injectable()
class Alerts {
  tell(who: string, letter: DeadLetter): void {
    heard.push(`${who} ${letter.name} ${letter.reason} ${letter.error?.message}`);
  }
}

@Injectable()
class Hooks {
  constructor(private readonly alerts: Alerts) {}

  @OnDeadLetter()
  all(letter: DeadLetter): void {
    this.alerts.tell('all', letter);
  }

  @OnDeadLetter(debit)
  async ofContract(letter: DeadLetter): Promise<void> {
    this.alerts.tell('contract', letter);
    throw new Error('the mail server is gone');
  }

  @OnDeadLetter('payments.debit')
  ofName(letter: DeadLetter): void {
    this.alerts.tell('name', letter);
    throw new Error('and this one throws at once');
  }
}

@Injectable()
class Handlers {
  @TaskHandler(debit, { onDeadLetter: ({ body }) => heard.push(`handler ${body}`) })
  debit(): void {}
}

async function start(...providers: Type[]): Promise<TaskApp> {
  // The hooks ask for Alerts by its type, which a compiler without metadata does not write down.
  Reflect.defineMetadata('design:paramtypes', [Alerts], Hooks);
  running = await startTaskApp({ providers: [Alerts, ...providers] });
  return running;
}

function settle(outcome: TaskOutcome, reply: SettleReply['kind'] = 'done', task: DeliveryInput = {}): void {
  const delivery = deliveryOf({ name: 'payments.debit', queue: 'payments', ...task });
  const answer = { kind: reply, reply: 'OOM' } as SettleReply;
  running?.app.get(WorkerEvents).observe({ kind: 'settled', delivery, outcome, reply: answer, durationMs: 1 });
}

describe('the hooks of dead letters', () => {
  it('hear of the tasks they are for, with their dependencies, whoever of them throws', async () => {
    await start(Hooks, Handlers);
    settle(deadLetter('attempts-exhausted'), 'done', { payload: { cents: 5 } });
    settle(deadLetter('timeout'), 'done', { queue: 'other' });
    settle(deadLetter('crash-limit'), 'done', { name: 'mail' });
    await expect.poll(() => heard).toHaveLength(7);
    expect(heard).toEqual([
      'handler {"cents":5}',
      'all payments.debit attempts-exhausted boom',
      'contract payments.debit attempts-exhausted boom',
      'name payments.debit attempts-exhausted boom',
      'all payments.debit timeout boom',
      'name payments.debit timeout boom',
      'all mail crash-limit boom',
    ]);
  });

  it('hear of an entry that is no task', async () => {
    await start(Hooks);
    settle(deadLetter('missing-field'), 'done', { fields: ['a', 'b'], name: '' });
    expect(heard).toEqual(['all  missing-field boom']);
  });

  it('hear of a letter whose first answer was lost, and of nothing that is none', async () => {
    await start(Hooks);
    settle(retry(5));
    for (const reply of ['fenced', 'gone', 'refused'] as const) settle(deadLetter('timeout'), reply);
    expect(heard).toEqual([]);
    settle(deadLetter('timeout'), 'already');
    expect(heard).toHaveLength(3);
  });

  it('are waited for when the workers stop', async () => {
    let open = (): void => undefined;
    const gate = new Promise<void>((resolve) => (open = resolve));
    @Injectable()
    class Slow {
      @OnDeadLetter()
      async hear(): Promise<void> {
        await gate;
        heard.push('slow');
      }
    }
    const { app } = await start(Slow);
    settle(deadLetter('timeout'));
    const closing = app.close();
    setImmediate(open);
    await closing;
    expect(heard).toEqual(['slow']);
  });

  it('are refused on a provider that is made for each request', async () => {
    @Injectable({ scope: Scope.REQUEST })
    class Scoped {
      @OnDeadLetter()
      hear(): void {}
    }
    const { app } = await createTaskApp({ providers: [Scoped] });
    await expect(app.startAllMicroservices()).rejects.toThrow(/@OnDeadLetter\(\) of Scoped\.hear is on a provider/);
    await app.close();
  });

  it('are refused where they are no functions', () => {
    expect(() =>
      TaskHandler('work', { onDeadLetter: 'refund' as never })(Handlers.prototype, 'debit', {
        value: Handlers.prototype.debit,
      }),
    ).toThrow('onDeadLetter');
  });
});

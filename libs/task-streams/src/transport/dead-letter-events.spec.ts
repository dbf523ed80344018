import { Injectable, type Type } from '@nestjs/common';
import { afterEach, describe, expect, it } from 'vitest';
import { deadLetter, retry } from '../../../../test/support/broker/settlements.js';
import { deliveryOf, type DeliveryInput } from '../../../../test/support/nest/deliveries.js';
import { startTaskApp, type TaskApp } from '../../../../test/support/nest/task-app.js';
import type { SettleReply } from '../contracts/work-store.interface.js';
import { OnTaskEvent } from '../handlers/on-task-event.decorator.js';
import { defineTask } from '../task/task-contract.js';
import type { TaskOutcome } from '../task/task-outcome.js';
import type { TaskEventOf } from '../watch/task-event.interface.js';
import { WorkerEvents } from '../watch/worker-events.js';

type Given = TaskEventOf<'dead'>;

const debit = defineTask('payments.debit', { queue: 'payments' });

let running: TaskApp | undefined;
let heard: string[] = [];

afterEach(async () => {
  await running?.app.close();
  running = undefined;
  heard = [];
});

@Injectable()
class Listeners {
  @OnTaskEvent('dead')
  all({ letter }: Given): void {
    heard.push(`all ${letter.name} ${letter.reason} ${letter.error?.message} ${letter.body}`);
  }

  @OnTaskEvent('dead', debit)
  ofContract({ letter }: Given): void {
    heard.push(`contract ${letter.queue} ${letter.name}`);
  }
}

async function start(...providers: Type[]): Promise<TaskApp> {
  running = await startTaskApp({ providers });
  return running;
}

function settle(outcome: TaskOutcome, reply: SettleReply['kind'] = 'done', task: DeliveryInput = {}): void {
  const delivery = deliveryOf({ name: 'payments.debit', queue: 'payments', ...task });
  const answer = { kind: reply, reply: 'OOM' } as SettleReply;
  running?.app.get(WorkerEvents).observe({ kind: 'settled', delivery, outcome, reply: answer, durationMs: 1 });
}

describe('the event of a dead letter', () => {
  it('has the letter in it, for every task or those of a contract', async () => {
    await start(Listeners);
    settle(deadLetter('attempts-exhausted'), 'done', { payload: { cents: 5 } });
    settle(deadLetter('timeout'), 'done', { queue: 'other', payload: 1 });
    // A task that killed its process is not parsed again; its payload is text anyway.
    settle(deadLetter('crash-limit'), 'done', { name: 'mail', payload: 2 });
    await expect.poll(() => heard).toHaveLength(4);
    expect(heard).toEqual([
      'all payments.debit attempts-exhausted boom {"cents":5}',
      'contract payments payments.debit',
      'all payments.debit timeout boom 1',
      'all mail crash-limit boom 2',
    ]);
  });

  it('comes for an entry that is no task', async () => {
    await start(Listeners);
    settle(deadLetter('missing-field'), 'done', { fields: ['a', 'b'], name: '' });
    await expect.poll(() => heard).toEqual(['all  missing-field boom undefined']);
  });

  it('comes for a letter whose first answer was lost, and for nothing that is none', async () => {
    await start(Listeners);
    settle(retry(5));
    for (const reply of ['fenced', 'gone', 'refused'] as const) settle(deadLetter('timeout'), reply);
    settle(deadLetter('validation'), 'already', { payload: 3 });
    await expect.poll(() => heard).toHaveLength(2);
    expect(heard).toContain('all payments.debit validation boom 3');
  });

  it('is waited for when the workers stop', async () => {
    let open = (): void => undefined;
    const gate = new Promise<void>((resolve) => (open = resolve));
    @Injectable()
    class Slow {
      @OnTaskEvent('dead')
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
});

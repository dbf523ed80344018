import type { TaskView } from '../../tasks/task-view.js';
import { expectThat, type Step } from '../step.js';
import { until } from '../until.js';

const RETRYING_MS = 20_000;
const ENDED_MS = 40_000;

export const sickPartnerStep: Step = {
  promise: 'a notification waits longer after each failure and is delivered when the partner is well again',
  check: async ({ shop }) => {
    await shop.set('POST', '/partner/mode', { mode: 'down' });
    const { links } = await shop.post('/notifications', {
      to: 'ana@example.com',
      message: 'Your order is on its way.',
    });
    const waiting = await until(
      'a second failed attempt',
      async () => {
        const task = await shop.get<TaskView>(links.self);
        return task.failedAttempts >= 2 && task.nextAttemptAt && task.error ? task : undefined;
      },
      RETRYING_MS,
    );
    await shop.set('POST', '/partner/mode', { mode: 'up' });
    const ended = await shop.ended(links.self, ENDED_MS);
    expectThat(ended.state === 'completed', 'a delivered notification', ended);
    return `${waiting.failedAttempts} failures (${waiting.error?.message}), then ${JSON.stringify(ended.result)}`;
  },
};

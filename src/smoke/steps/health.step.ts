import { until } from '../until.js';
import type { Step } from '../step.js';

const TIMEOUT_MS = 20_000;

export const healthStep: Step = {
  promise: 'the shop is live and ready',
  check: async ({ shop }) => {
    for (const path of ['/health/live', '/health/ready']) {
      await until(`200 from ${path}`, () => shop.get(path), TIMEOUT_MS);
    }
    return 'live and ready';
  },
};

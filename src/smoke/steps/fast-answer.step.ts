import type { Accepted } from '../../tasks/accepted.js';
import { expectThat, type Step } from '../step.js';

/** The first ones open connections and are not counted. */
const WARM_UP = 5;
const REQUESTS = 21;
const MAX_P50_MS = 50;

export const fastAnswerStep: Step = {
  promise: `an export is accepted in less than ${MAX_P50_MS} ms, with its place and its durability`,
  check: async ({ shop }) => {
    const times: number[] = [];
    const levels = new Set<string>();
    for (let count = 0; count < WARM_UP + REQUESTS; count++) {
      const begun = performance.now();
      const { status, headers, body } = await shop.send<Accepted>('POST', '/tax-exports', {
        body: { year: 2024, rows: 10 },
      });
      times.push(performance.now() - begun);
      expectThat(status === 202, '202', { status, body });
      expectThat(headers.get('location') === body.links.self, 'a Location', headers.get('location'));
      expectThat(headers.has('retry-after'), 'a Retry-After', [...headers]);
      levels.add(`${body.durability.level} by ${body.durability.confirmedBy}`);
    }
    const p50 = times.slice(WARM_UP).toSorted((a, b) => a - b)[Math.floor(REQUESTS / 2)] ?? Number.NaN;
    expectThat(p50 < MAX_P50_MS, `a median below ${MAX_P50_MS} ms`, p50);
    expectThat(
      [...levels].every((level) => level.startsWith('fsync')),
      'durability fsync',
      [...levels],
    );
    return `median ${p50.toFixed(1)} ms, ${[...levels].join(', ')}`;
  },
};

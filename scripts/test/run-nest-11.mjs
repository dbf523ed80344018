import { ensureNest11 } from '../lib/install-nest-11.mjs';
import { runVitest } from './run-vitest.mjs';

/** Where the library touches Nest: decorators, the pipeline, the transport, the life cycle. */
const TOUCHING = ['module', 'pipeline', 'transport'].map((layer) => `libs/task-streams/src/${layer}/`);

/** Everything of the library that needs no build. */
const WHOLE = ['libs/task-streams/src/', 'test/integration/'];

/**
 * Runs tests of the library on the oldest Nest that is supported.
 *
 * @param {{ isWhole: boolean, vitestArgs?: readonly string[], print: (line: string) => void }} options
 * @returns {Promise<import('./run-vitest.mjs').Totals>}
 */
export async function runOnNest11({ isWhole, vitestArgs = [], print }) {
  await ensureNest11(print);
  const files = isWhole ? WHOLE : [...TOUCHING, 'test/integration/nest/'];
  const args = ['--project', 'unit', '--project', 'integration', ...files, ...vitestArgs];
  const totals = await runVitest({ args, env: { TEST_NEST: '11' } });
  print(`on Nest 11: ${totals.passed} passed, ${totals.failed} failed`);
  return totals;
}

import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { Guardian } from './harness/guardian.js';
import { runScenario } from './harness/run-scenario.js';
import { SCENARIOS } from './scenarios/index.js';

/** Small enough for every commit; the full counts are for `npm run chaos`. */
const SCALE = 0.01;
const SEED = 42;

let guardian: Guardian;

beforeAll(() => {
  guardian = new Guardian(inject('chaosBuild'));
});

afterAll(() => {
  const left = guardian.watched;
  guardian.close();
  expect(left, 'processes that have not ended').toEqual([]);
});

const context = () => ({
  buildDir: inject('chaosBuild'),
  guardian,
  scale: SCALE,
  seed: SEED,
  print: () => undefined,
});

describe('a fleet of workers keeps its promises', () => {
  const scenarios = SCENARIOS.filter(({ mustFail, isVariant }) => mustFail === undefined && !isVariant);

  it.each(scenarios)('$id: $title', async (scenario) => {
    const { violations } = await runScenario(scenario, context());
    expect(violations).toEqual([]);
  });
});

describe('the checker is not blind to', () => {
  const controls = SCENARIOS.filter(({ mustFail, isVariant }) => mustFail !== undefined && !isVariant);

  it.each(controls)('$title', async (control) => {
    const { violations, passed } = await runScenario(control, context());
    expect(passed, `it found only: ${violations.join('; ')}`).toBe(true);
  });
});

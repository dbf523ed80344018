import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { Guardian } from '../harness/guardian.js';
import { runScenario } from '../harness/run-scenario.js';
import type { Scenario } from '../harness/scenario.js';
import { GROUPS } from '../scenarios/index.js';

/** Small enough for every commit; the full counts are for `npm run chaos`. */
const SCALE = 0.01;
const SEED = 42;

/** Tests the scenarios of a group, in a spec file that has the name of the group. */
export function testGroup(name: keyof typeof GROUPS): void {
  let guardian: Guardian;

  beforeAll(() => {
    guardian = new Guardian(inject('chaosBuild'));
  });

  afterAll(() => {
    const left = guardian.watched;
    guardian.close();
    expect(left, 'processes that have not ended').toEqual([]);
  });

  const run = (scenario: Scenario) =>
    runScenario(scenario, {
      buildDir: inject('chaosBuild'),
      guardian,
      scale: SCALE,
      seed: SEED,
      print: () => undefined,
    });
  const group: readonly Scenario[] = GROUPS[name];
  const promises = group.filter(({ mustFail, isVariant }) => mustFail === undefined && !isVariant);
  const controls = group.filter(({ mustFail, isVariant }) => mustFail !== undefined && !isVariant);

  if (promises.length > 0)
    describe('a fleet of workers keeps its promises', () => {
      it.each(promises)('$id: $title', async (scenario) => {
        const { violations } = await run(scenario);
        expect(violations).toEqual([]);
      });
    });

  if (controls.length > 0)
    describe('the checker is not blind to', () => {
      it.each(controls)('$title', async (control) => {
        const { violations, passed } = await run(control);
        expect(passed, `it found only: ${violations.join('; ')}`).toBe(true);
      });
    });
}

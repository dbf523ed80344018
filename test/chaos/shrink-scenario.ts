import type { RunContext } from './harness/bench-options.js';
import { runScenario } from './harness/run-scenario.js';
import type { Scenario, ScenarioReport } from './harness/scenario.js';
import { shrink, type Cut } from './shrink.js';

const MAX_RUNS = 24;

/** Which invariants a run has shown violated. */
function kindsOf({ violations }: ScenarioReport): string[] {
  return violations.map((violation) => violation.slice(0, 2));
}

/** Runs smaller and smaller parts of a mixed run that failed, and answers the command for the smallest that fails too. */
export async function shrinkScenario(
  scenario: Scenario,
  context: RunContext,
  failure: ScenarioReport,
): Promise<string> {
  const { faults = [], features = [] } = scenario.kinds ?? {};
  const wanted = new Set(kindsOf(failure));
  const fails = async ({ scale, ...cut }: Cut): Promise<boolean> => {
    const only = new Set([...cut.faults, ...cut.features]);
    const report = await runScenario(scenario, { ...context, scale, only });
    const isSame = kindsOf(report).some((kind) => wanted.has(kind));
    context.print(
      `  ${isSame ? 'fails' : 'passes'} at scale ${scale} with ${[...only].join(', ') || 'plain tasks only'}`,
    );
    return isSame;
  };
  const { cut, runs } = await shrink({ faults, features, scale: context.scale }, fails, MAX_RUNS);
  const only = [...cut.faults, ...cut.features].join(',') || 'none';
  const command = `npm run chaos -- --scenario ${scenario.id} --seed ${context.seed} --scale ${cut.scale} --only ${only}`;
  return `${command}    (the smallest that failed, of ${runs} runs)`;
}

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import type { RunContext } from './harness/bench-options.js';
import { Guardian } from './harness/guardian.js';
import { runScenario } from './harness/run-scenario.js';
import type { Scenario, ScenarioReport } from './harness/scenario.js';
import { readOptions, type ChaosOptions } from './options.js';
import { detailsOf, tableOf } from './report.js';
import { resultsPages, type ChaosRun } from './results-page.js';
import { shrinkScenario } from './shrink-scenario.js';
import { SCENARIOS } from './scenarios/index.js';

const print = (line: string): void => console.log(line);

function chosen({ scenarios }: ChaosOptions): readonly Scenario[] {
  if (scenarios.length === 0) return SCENARIOS;
  const named = scenarios.flatMap((name) => {
    const found = SCENARIOS.filter(({ id }) => id.toLowerCase() === name || id.toLowerCase().startsWith(`${name}-`));
    if (found.length === 0) throw new Error(`There is no scenario ${name}; there are ${allNames()}`);
    return found;
  });
  return [...new Set(named)];
}

function allNames(): string {
  return SCENARIOS.map(({ id }) => id).join(', ');
}

/** Where what has passed is remembered, for one seed, one scale and one state of the sources. */
function memoryFile({ seed, scale }: ChaosOptions): string {
  const dir = path.join(process.env['CHAOS_CACHE'] ?? '.cache/chaos', 'passed');
  mkdirSync(dir, { recursive: true });
  return path.join(dir, `${process.env['CHAOS_FINGERPRINT'] ?? 'unknown'}-${seed}-${scale}.json`);
}

function recall(file: string): Map<string, ScenarioReport> {
  if (!existsSync(file)) return new Map();
  const reports = JSON.parse(readFileSync(file, 'utf8')) as ScenarioReport[];
  return new Map(reports.map((report) => [report.id, report]));
}

async function runAll(options: ChaosOptions, context: RunContext): Promise<ScenarioReport[]> {
  const file = memoryFile(options);
  const passed = recall(file);
  const reports: ScenarioReport[] = [];
  for (const scenario of chosen(options)) {
    const known = options.resume ? passed.get(scenario.id) : undefined;
    if (!known) print(`${scenario.id} ${scenario.title} …`);
    const report = known ?? (await runScenario(scenario, context));
    reports.push(report);
    if (report.passed && !report.skipped) passed.set(scenario.id, report);
    else passed.delete(scenario.id);
    writeFileSync(file, JSON.stringify([...passed.values()]));
    if (known) continue;
    print(`  ${report.passed ? 'ok' : 'FAILED'} after ${report.seconds} s\n${detailsOf(report)}`);
    if (!report.passed && scenario.kinds && options.isShrinking) {
      print(`  ${await shrinkScenario(scenario, context, report)}`);
    }
  }
  return reports;
}

function writeJson(file: string, options: ChaosOptions, reports: readonly ScenarioReport[]): void {
  const { seed, scale } = options;
  const build = process.env['CHAOS_FINGERPRINT'];
  const redis = process.env['CHAOS_REDIS'] ?? 'unknown';
  const run = { seed, scale, node: process.version, redis, cores: availableParallelism(), build, reports };
  writeFileSync(file, `${JSON.stringify(run, undefined, 2)}\n`);
}

function writeDocs(files: readonly string[]): void {
  const runs = files.map((file) => JSON.parse(readFileSync(file, 'utf8')) as ChaosRun);
  for (const [file, text] of resultsPages(runs)) {
    writeFileSync(file, text);
    print(`wrote ${file}`);
  }
}

async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2));
  if (options.list) {
    for (const { id, title, tasks, faults } of SCENARIOS)
      print(`${id.padEnd(24)} ${title} (${tasks} tasks, ${faults} faults)`);
    return 0;
  }
  if (options.resultFiles.length > 0) {
    writeDocs(options.resultFiles);
    return 0;
  }
  const buildDir = process.env['CHAOS_BUILD'];
  if (!buildDir) throw new Error('Run it by `npm run chaos`, which builds what it needs.');
  const guardian = new Guardian(buildDir);
  const { scale, seed, only } = options;
  try {
    const reports = await runAll(options, { buildDir, guardian, scale, seed, only, print });
    print(`\n${tableOf(reports)}\n`);
    if (options.json) writeJson(options.json, options, reports);
    const failed = reports.filter(({ passed }) => !passed).length;
    print(`seed ${options.seed}, scale ${options.scale}: ${reports.length - failed} as they should be, ${failed} not`);
    return failed === 0 ? 0 : 1;
  } finally {
    guardian.close();
  }
}

// The guardian ends every process of ours as soon as this one is gone, so there is nothing else to wait for.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130));

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  },
);

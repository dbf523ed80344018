import type { ScenarioReport } from './harness/scenario.js';

/** A run, or a part of one, as `--json` writes it. */
export interface ChaosRun {
  readonly seed: number;
  readonly scale: number;
  readonly node: string;
  readonly redis: string;
  readonly cores: number;
  /** Which sources were run. */
  readonly build?: string | undefined;
  readonly reports: readonly ScenarioReport[];
}

/** All parts of one seed. */
interface WholeRun extends ChaosRun {
  readonly builds: readonly string[];
}

/** The parts of each seed put together: what was run again later takes the place of what there was. */
function wholeRuns(parts: readonly ChaosRun[]): WholeRun[] {
  const bySeed = new Map<string, ChaosRun[]>();
  for (const part of parts) {
    const key = `${part.seed} ${part.scale}`;
    bySeed.set(key, [...(bySeed.get(key) ?? []), part]);
  }
  return [...bySeed.values()].map((runs) => {
    const builds = new Set(runs.flatMap(({ build }) => build ?? []));
    const reports = new Map(runs.flatMap((run) => run.reports).map((report) => [report.id, report]));
    return { ...(runs[0] as ChaosRun), reports: [...reports.values()], builds: [...builds] };
  });
}

const MIXED = /^M\d/;

/** Scenarios and mixed runs are run at other times, so each kind has a page of its own. A kind that was not run has none here. */
export function resultsPages(parts: readonly ChaosRun[]): (readonly [file: string, text: string])[] {
  const only = (isWanted: (report: ScenarioReport) => boolean): ChaosRun[] =>
    parts
      .map((part) => ({ ...part, reports: part.reports.filter(isWanted) }))
      .filter(({ reports }) => reports.length > 0);
  const pages = [
    ['docs/chaos-results.md', 'Results of the chaos runs', only(({ id }) => !MIXED.test(id))],
    ['docs/chaos-mixed-results.md', 'Results of the mixed chaos runs', only(({ id }) => MIXED.test(id))],
  ] as const;
  return pages.flatMap(([file, title, runs]) => (runs.length > 0 ? [[file, resultsPage(title, runs)] as const] : []));
}

/** A page with a table for each seed, and what they come to together. */
function resultsPage(title: string, parts: readonly ChaosRun[]): string {
  const runs = wholeRuns(parts);
  const command = 'npm run chaos -- --write-docs FILE FILE';
  return `# ${title}

Written by \`${command}\` from what \`npm run chaos -- --json FILE\` has written. What the scenarios do is in
[test/chaos](../test/chaos/scenarios), what follows from them in [guarantees.md](guarantees.md).

${totalsOf(runs)}
${runs.map(sectionOf).join('\n')}`;
}

function totalsOf(runs: readonly ChaosRun[]): string {
  const reports = runs.flatMap((run) => run.reports).filter(isOurs);
  const sum = (pick: (report: ScenarioReport) => number) => reports.reduce((total, each) => total + pick(each), 0);
  const faults = (kind: RegExp) =>
    sum((report) =>
      Object.entries(faultsOf(report))
        .filter(([name]) => kind.test(name))
        .reduce((total, [, times]) => total + times, 0),
    );
  const kept = (pick: (report: ScenarioReport) => number) =>
    sum((report) => (LOSING.has(report.id) || report.id.startsWith('F15') ? 0 : pick(report)));
  const unique = reports.filter(({ id }) => UNIQUE.test(id));
  return `| all runs together | |
|---|---|
| tasks | ${count(sum(({ tasks }) => tasks))} |
| processes killed (workers and Redis) | ${count(faults(/sigkill|killed/))} |
| other faults | ${count(faults(/^/) - faults(/sigkill|killed/))} |
| accepted tasks lost, where Redis kept its data | ${count(kept(({ lost }) => lost))} |
| accepted tasks gone as announced: not confirmed, on a server that died, or deleted by hand (forgiven) | ${count(sum(({ forgiven = 0 }) => forgiven))} |
| settlements by an owner that had lost its task, where Redis kept its data | ${count(kept(({ stale }) => stale))} |
| effects doubled under a unique key | ${count(unique.reduce((total, { doubled }) => total + doubled, 0))} |
| tasks that ran more than once, without such a key | ${count(sum(({ rawDoubled }) => rawDoubled))} |
`;
}

/** Scenarios in which Redis loses what it had answered: tasks, and who owns them. */
const LOSING = new Set(['F12-none', 'F12-everysec', 'F12-power-everysec', 'F13-unplanned']);

/** Workers that end themselves at a certain point do not appear among what was done to them. */
function faultsOf({ faults, counts }: ScenarioReport): Readonly<Record<string, number>> {
  const selfKills = counts['selfKills'] ?? 0;
  return selfKills > 0 ? { ...faults, 'worker-sigkill-at-its-point': selfKills } : faults;
}

/** Scenarios whose effects go to a store under a key. */
const UNIQUE = /^F1$|^F2$|^F35|-unique$/;

function isOurs({ id, skipped }: ScenarioReport): boolean {
  return !id.startsWith('control-') && skipped === undefined;
}

function sectionOf({ seed, scale, node, redis, cores, reports, builds }: WholeRun): string {
  const inParts = builds.length > 1 ? ` Run in parts, while the sources changed: builds ${builds.join(', ')}.` : '';
  const rows = reports.map((report) => `| ${cellsOf(report).join(' | ')} |`);
  return `## Seed ${seed}

\`npm run chaos -- --seed ${seed}${scale === 1 ? '' : ` --scale ${scale}`}\`: Node ${node}, ${redis}, ${cores} cores.${inParts}

| scenario | tasks | faults | lost / forgiven | ran twice | stale | recovery ms p50 / p99 / max | result |
|---|---|---|---|---|---|---|---|
${rows.join('\n')}
`;
}

function cellsOf(report: ScenarioReport): string[] {
  const { id, title, tasks, lost, forgiven = 0, rawDoubled, stale, recovery } = report;
  const kinds = Object.entries(faultsOf(report)).map(([kind, times]) => `${times} ${kind}`);
  return [
    `${id}: ${title}`,
    count(tasks),
    kinds.join(', '),
    `${count(lost)} / ${count(forgiven)}`,
    count(rawDoubled),
    count(stale),
    recovery.count === 0 ? '' : `${recovery.p50} / ${recovery.p99} / ${recovery.max}`,
    resultOf(report),
  ];
}

function resultOf({ id, passed, skipped, violations, notes }: ScenarioReport): string {
  if (skipped !== undefined) return `skipped: ${skipped}`;
  if (id.startsWith('control-')) return passed ? `caught: ${violations[0] ?? ''}` : 'NOT CAUGHT';
  return [passed ? 'pass' : `FAIL: ${violations.join('; ')}`, ...notes].join('; ');
}

function count(n: number): string {
  return n.toLocaleString('en-US');
}

import type { ScenarioReport } from './harness/scenario.js';

const HEADERS = [
  'scenario',
  'tasks',
  'faults by kind',
  'lost/forgiven',
  'doubled',
  're-run',
  'stale',
  'recovery ms p50/p99/max',
  's',
  'result',
];

/** One line for each scenario, in columns. */
export function tableOf(reports: readonly ScenarioReport[]): string {
  const rows = [HEADERS, ...reports.map(rowOf)];
  const widths = HEADERS.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  return rows
    .map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function rowOf(report: ScenarioReport): string[] {
  const { recovery } = report;
  return [
    `${report.id} ${report.title}`,
    String(report.tasks),
    Object.entries(report.faults)
      .map(([kind, count]) => `${count} ${kind}`)
      .join(', '),
    `${report.lost}/${report.forgiven ?? 0}`,
    String(report.doubled),
    String(report.rawDoubled),
    String(report.stale),
    recovery.count === 0 ? '-' : `${recovery.p50}/${recovery.p99}/${recovery.max}`,
    String(report.seconds),
    resultOf(report),
  ];
}

function resultOf({ passed, skipped, id, violations }: ScenarioReport): string {
  if (skipped !== undefined) return `skipped: ${skipped}`;
  if (id.startsWith('control-')) return passed ? `caught: ${violations[0]?.slice(0, 60)}` : 'BLIND';
  return passed ? 'pass' : 'FAIL';
}

/** What went wrong, and what a scenario had to say. */
export function detailsOf(report: ScenarioReport): string {
  const lines = [
    ...report.notes.map((note) => `    ${note}`),
    ...report.violations.map((violation) => `    ${report.id}: ${violation}`),
  ];
  return lines.join('\n');
}

import { describe, expect, it } from 'vitest';
import { readText } from '../support/source-tree.js';

interface Place {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly gridPos: Place;
  readonly datasource?: { readonly type: string; readonly uid: string };
  readonly fieldConfig?: { readonly defaults: { readonly unit: string }; readonly overrides: readonly unknown[] };
  readonly targets?: readonly { readonly refId: string; readonly expr: string; readonly datasource: object }[];
}

interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly schemaVersion: number;
  readonly templating: { readonly list: readonly { readonly name: string; readonly type: string }[] };
  readonly panels: readonly Panel[];
}

const text = readText('deploy/observability/grafana/dashboards/task-streams.json');
const dashboard = JSON.parse(text) as Dashboard;
const { panels, templating } = dashboard;
const charts = panels.filter(({ type }) => type !== 'row');
/** Every one that Grafana knows by this id and the dashboard uses. */
const UNITS = ['short', 's', 'ops', 'reqps', 'bytes', 'decbytes', 'percentunit', 'bool_yes_no', 'none', 'cps'];

// What Grafana needs of such a file; nobody has opened it there.
describe('the dashboard', () => {
  it('has what each dashboard has', () => {
    expect(dashboard).toMatchObject({ uid: 'task-streams', title: 'Task streams', schemaVersion: 39 });
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    expect(new Set(charts.map(({ title }) => title)).size).toBe(charts.length);
  });

  it('has panels that lie in the 24 columns and on no other', () => {
    const outside = panels.filter(({ gridPos: { x, y, w, h } }) => x < 0 || y < 0 || w < 1 || h < 1 || x + w > 24);
    expect(outside).toEqual([]);
    const overlaps = panels.flatMap((one, i) =>
      panels.slice(i + 1).filter((other) => isOverlap(one.gridPos, other.gridPos)),
    );
    expect(overlaps.map(({ title }) => title)).toEqual([]);
  });

  it('has charts with a data source of the reader, a unit Grafana knows, and queries of their own', () => {
    const source = { type: 'prometheus', uid: '${datasource}' };
    for (const { title, type, datasource, fieldConfig, targets = [] } of charts) {
      expect([type, datasource, fieldConfig?.overrides], title).toEqual(['timeseries', source, []]);
      expect(UNITS, title).toContain(fieldConfig?.defaults.unit);
      expect(targets.length, title).toBeGreaterThan(0);
      expect(new Set(targets.map(({ refId }) => refId)).size, title).toBe(targets.length);
      expect(targets.map((target) => target.datasource)).toEqual(targets.map(() => source));
    }
  });

  it('uses variables that it has', () => {
    const known = [...templating.list.map(({ name }) => name), '__rate_interval'];
    const used = [...text.matchAll(/\$\{?(\w+)/g)].map(([, name = '']) => name);
    // `$__all` is what Grafana calls a choice of everything.
    expect([...new Set(used)].filter((name) => !known.includes(name) && name !== '__all')).toEqual([]);
    expect(templating.list.map(({ name, type }) => [name, type])).toEqual([
      ['datasource', 'datasource'],
      ['queue', 'query'],
      ['task', 'query'],
    ]);
  });
});

function isOverlap(a: Place, b: Place): boolean {
  return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}

import { describe, expect, it } from 'vitest';
import { toTaskEvent } from '../../libs/task-streams/src/watch/to-task-event.js';
import { factName, factOf } from '../../libs/task-streams/src/watch/fact-of.js';
import type { FactName, WatchedEvent } from '../../libs/task-streams/src/watch/fact.interface.js';
import { FACT_NAMES, FACTS, OUTCOMES, rowOf } from '../../libs/task-streams/src/watch/facts.js';
import { filesBelow, readText } from '../support/source-tree.js';
import { EVERY_EVENT } from '../support/watch/every-event.js';

const EVENTS = Object.entries(EVERY_EVENT) as [FactName, WatchedEvent][];
/** What nobody tells: the store or the service that does it writes it down. */
const WRITTEN_DOWN = ['dead-letters-redriven', 'progress', 'cancel-requested', 'rescheduled', 'promoted'];

describe('the table of facts', () => {
  it('has one row for each event of workers and senders, and is told by its name', () => {
    for (const [name, event] of EVENTS) {
      expect(factName(event)).toBe(name);
      expect(factOf(event)).toMatchObject({ name });
    }
    expect(new Set([...EVENTS.map(([name]) => name), ...WRITTEN_DOWN])).toEqual(new Set(FACT_NAMES));
  });

  it('says a whole sentence of each, in plain ASCII', () => {
    for (const [name, event] of EVENTS) {
      const sentence = rowOf(name).say?.(factOf(event).fields as never) ?? '';
      expect(sentence).not.toMatch(/undefined|\[object|[^ -~]/);
    }
  });

  it('is the only place that tells events and outcomes apart', () => {
    const kinds = [...FACT_NAMES, ...Object.keys(OUTCOMES), 'settled'].join('|');
    const branch = new RegExp(`(?:case|[!=]==) '(?:${kinds})'`);
    const files = filesBelow('libs/task-streams/src', '.ts').filter(
      (path) => !path.endsWith('.spec.ts') && !/watch\/fact(?:s|-of)\.ts$/.test(path) && readsFacts(path),
    );
    expect(files.length).toBeGreaterThan(15);
    expect(files.filter((path) => branch.test(readText(path)))).toEqual([]);
  });
});

/** A room that only tells, or a file that reads facts. */
function readsFacts(path: string): boolean {
  return /\/(?:watch|prometheus|otel)\//.test(path) || /watch\/(?:fact|to-task-event)/.test(readText(path));
}

describe('the table of facts in docs/observability.md', () => {
  const rows = tableRows(readText('docs/observability.md'), '| fact | what happened |');
  const documented = rows.map(([name = '', , ...cells]) => [name.replaceAll('`', ''), ...cells]);

  it('has every fact, and where it is told', () => {
    const expected = FACT_NAMES.map((name) => [name, levelOf(name), yes(FACTS[name].event), yes(FACTS[name].change)]);
    expect(documented.map((cells) => cells.slice(0, 4))).toEqual(expected);
  });

  it('has what each says', () => {
    for (const [name, event] of EVENTS) {
      const fields = Object.keys(toTaskEvent(factOf(event), 10)).filter((key) => !COMMON.has(key));
      const cell = documented.find(([one]) => one === name)?.at(-1) ?? '';
      const said = [...cell.matchAll(/`(\w+)`/g)].map(([, field = '']) => field);
      expect([name, ...said.toSorted()]).toEqual([name, ...fields.toSorted()]);
    }
  });
});

const COMMON = new Set([
  ...['kind', 'queue', 'task', 'taskId', 'entryId', 'attempt', 'deliveryCount', 'durationMs', 'hasRun', 'ageMs'],
]);

function levelOf(name: FactName): string {
  const { say, level = 'debug', isUsual } = rowOf(name);
  if (say === undefined) return '';
  if (typeof level === 'function') return LEVELS[name] ?? '';
  return isUsual ? `${level}, with \`logSuccess\`` : level;
}

const LEVELS: { readonly [K in FactName]?: string } = {
  dead: 'error; log where it is expected',
  reclaimed: 'warn; debug where it was released',
};

function yes(isTold: boolean): string {
  return isTold ? 'yes' : '';
}

function tableRows(text: string, head: string): string[][] {
  const [, after = ''] = text.split(`\n${head}`);
  const [block = ''] = after.split('\n\n');
  const rows = block.split('\n').slice(2);
  return rows.map((row) => row.split('|').slice(1, -1)).map((cells) => cells.map((cell) => cell.trim()));
}

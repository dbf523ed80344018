import { describe, expect, it } from 'vitest';
import { RUN_STATES, type RunState } from '../../libs/task-streams/src/worker/run-states.js';
import { readText } from '../support/source-tree.js';

const page = readText('docs/task-life.md');
const states = Object.entries(RUN_STATES);

/** The steps of the table as lines of the picture: those with the same way are one line. */
function steps(): string[] {
  return states.flatMap(([from, { on }]) => {
    const ways = new Map<string, string[]>();
    for (const [event, step] of Object.entries(on)) {
      const way = `${from} --> ${step.to}: %EVENTS% / ${step.do}`;
      ways.set(way, [...(ways.get(way) ?? []), event]);
    }
    return [...ways].map(([way, events]) => way.replace('%EVENTS%', events.join(', ')));
  });
}

describe('docs/task-life.md', () => {
  it('draws every step of the states of a run, and no other', () => {
    const [, picture = ''] = page.split('stateDiagram-v2\n');
    const [lines = ''] = picture.split('\n```');
    const drawn = lines.split('\n').map((line) => line.trim());
    expect(drawn).toEqual(['[*] --> waiting: delivered', ...steps(), 'gone --> [*]']);
  });

  it('says which states have a slot', () => {
    const rows = [...page.matchAll(/^\| `(\w+)` \| (yes|no) \|/gm)].map(([, state, slot]) => [state, slot]);
    expect(rows).toEqual(states.map(([state, { hasSlot }]) => [state, hasSlot ? 'yes' : 'no']));
  });

  it('names files that are there', () => {
    const files = [...page.matchAll(/`((?:worker|transport|pipeline|contracts|handlers|policy)\/[\w-]+\.ts)`/g)];
    expect(files.length).toBeGreaterThan(10);
    for (const [, file] of files) expect(readText(`libs/task-streams/src/${file}`)).not.toBe('');
  });
});

describe('the states of a run', () => {
  it('all lead to the end, and the end leads nowhere', () => {
    const leads = new Set<RunState>(['gone']);
    for (let size = 0; size < leads.size;) {
      size = leads.size;
      for (const [state, { on }] of states) {
        if (Object.values(on).some(({ to }) => leads.has(to))) leads.add(state as RunState);
      }
    }
    expect(leads.size).toBe(states.length);
    expect(Object.values(RUN_STATES.gone.on).every(({ to }) => to === 'gone')).toBe(true);
  });

  it('let a handler that runs be ended from inside and from outside', () => {
    for (const [, { hasHandler, on }] of states.filter(([, row]) => row.hasHandler)) {
      expect(hasHandler).toBe(true);
      expect(Object.keys(on)).toEqual(
        expect.arrayContaining(['finish', 'disown', 'timeOut', 'lose', 'release', 'cancel']),
      );
    }
  });
});

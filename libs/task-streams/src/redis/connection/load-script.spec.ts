import { describe, expect, it } from 'vitest';
import { loadScript } from './load-script.js';
import { SCRIPT_NAMES } from './redis-session.js';

/** Lua takes 200 locals in a function; so many are left free for what a part will need next. */
const MOST_LOCALS = 200 - 60;

/** The names that a function of these lines declares at its margin, those of functions inside it not counted. */
function localsOf(lines: readonly string[]): string[] {
  return lines.flatMap((line) => {
    const [, name] = /^local function (\w+)/.exec(line) ?? [];
    if (name !== undefined) return [name];
    const [, names = ''] = /^local (.+?)(?: =.*)?$/.exec(line) ?? [];
    return names === '' ? [] : names.split(',').map((one) => one.trim());
  });
}

/** The lines of each function of several lines at the margin, and what is left of the script without them. */
function functionsOf(text: string): {
  readonly main: readonly string[];
  readonly inner: readonly (readonly string[])[];
} {
  const open: string[][] = [[]];
  const inner: string[][] = [];
  for (const line of text.split('\n')) {
    if (/^(local )?function (?!.*\bend$)/.test(line)) {
      open.at(-1)?.push(line);
      open.push([]);
    } else if (line === 'end' && open.length > 1) inner.push(open.pop() ?? []);
    else open.at(-1)?.push(line);
  }
  return { main: open[0] ?? [], inner };
}

describe.each(SCRIPT_NAMES)('the script %s', (name) => {
  const { main, inner } = functionsOf(loadScript(name).text);
  const functions = [main, ...inner].map(localsOf);

  it('has nothing twice in one function', () => {
    expect(functions.flatMap((names) => names.filter((one, i) => names.indexOf(one) !== i))).toEqual([]);
  });

  it('leaves room for more locals', () => {
    expect(Math.max(...functions.map((names) => names.length))).toBeLessThanOrEqual(MOST_LOCALS);
  });
});

describe('loading a script', () => {
  it('puts a part there once, however many parts need it', () => {
    const { text } = loadScript('turn');
    expect(text.match(/^local function write_text\(/gm)).toHaveLength(1);
    expect(text).not.toContain('--@include');
  });

  it('puts it there again where it was in scope of another function only', () => {
    const { text } = loadScript('turn');
    expect(text.match(/^local function read_record\(/gm)?.length).toBeGreaterThan(1);
  });

  it('tells which script is missing', () => {
    expect(() => loadScript('nonsense')).toThrow('There is no script nonsense.lua');
  });
});

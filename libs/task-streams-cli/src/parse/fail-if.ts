import { InvalidArgumentError } from 'commander';
import { parseSpan } from './values.js';

/** What can be compared. Ages are in seconds; `paused` is 1 or 0. */
export const MEASURES = ['waiting', 'delayed', 'active', 'dead', 'oldestAge', 'workers', 'paused'] as const;

export type Measure = (typeof MEASURES)[number];

export type Measures = Readonly<Record<Measure, number>>;

/** A comparison such as `oldestAge>300`. */
export interface Condition {
  readonly text: string;
  readonly measure: Measure;
  readonly isMet: (measures: Measures) => boolean;
}

const OPERATORS: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  '>=': (a, b) => a >= b,
  '<=': (a, b) => a <= b,
  '!=': (a, b) => a !== b,
  '==': (a, b) => a === b,
  '=': (a, b) => a === b,
  '>': (a, b) => a > b,
  '<': (a, b) => a < b,
};
const FORM = /^\s*([A-Za-z]+)\s*(>=|<=|!=|==|=|>|<)\s*(\S+)\s*$/;
const EXAMPLE = 'such as waiting>1000, oldestAge>5m or workers<1';

/** One comparison. */
export function parseCondition(text: string): Condition {
  const [, name = '', operator = '', value = ''] = FORM.exec(text) ?? [];
  const compare = OPERATORS[operator];
  if (compare === undefined) throw new InvalidArgumentError(`Give a name, a comparison and a number, ${EXAMPLE}.`);
  const measure = MEASURES.find((known) => known === name);
  if (measure === undefined) throw new InvalidArgumentError(`"${name}" is none of ${MEASURES.join(', ')}.`);
  const limit = limitOf(measure, value);
  return { text: text.trim(), measure, isMet: (measures) => compare(measures[measure], limit) };
}

function limitOf(measure: Measure, value: string): number {
  if (measure === 'paused' && (value === 'true' || value === 'false')) return value === 'true' ? 1 : 0;
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value);
  if (measure === 'oldestAge' && /^\d/.test(value)) return parseSpan(value) / 1_000;
  throw new InvalidArgumentError(`"${value}" is no number; ${EXAMPLE}.`);
}

/** Adds one more comparison to those before it: the option may be given several times. */
export function collectConditions(text: string, earlier: readonly Condition[] = []): readonly Condition[] {
  return [...earlier, parseCondition(text)];
}

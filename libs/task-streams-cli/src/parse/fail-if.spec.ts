import { describe, expect, it } from 'vitest';
import { collectConditions, parseCondition, type Measures } from './fail-if.js';

const MEASURES: Measures = { waiting: 10, delayed: 0, active: 3, dead: 0, oldestAge: 301.5, workers: 1, paused: 1 };

describe('a condition', () => {
  it.each([
    ['waiting>9', true],
    ['waiting>10', false],
    ['waiting >= 10', true],
    ['waiting<10', false],
    ['waiting<=10', true],
    ['waiting=10', true],
    ['waiting==10', true],
    ['waiting!=10', false],
    ['oldestAge>300', true],
    ['oldestAge>5m', true],
    ['oldestAge>6m', false],
    ['workers<1', false],
    ['paused=1', true],
    ['paused=false', false],
    ['dead>0.5', false],
  ])('%s is %s', (text, isMet) => {
    expect(parseCondition(text).isMet(MEASURES)).toBe(isMet);
  });

  it.each([
    ['waiting', 'a name, a comparison and a number'],
    ['waiting>', 'a name, a comparison and a number'],
    ['waiting>1 && dead>0', 'a name, a comparison and a number'],
    ['backlog>1', '"backlog" is none of waiting'],
    ['constructor>1', '"constructor" is none of waiting'],
    ['waiting>5m', '"5m" is no number'],
    ['waiting>-1', '"-1" is no number'],
    ['oldestAge>5w', 'a number with ms, s, m, h or d'],
  ])('%s is none', (text, message) => {
    expect(() => parseCondition(text)).toThrow(message);
  });

  it('is one of several', () => {
    const conditions = collectConditions('dead>0', collectConditions('waiting>0'));
    expect(conditions.map(({ text }) => text)).toEqual(['waiting>0', 'dead>0']);
  });
});

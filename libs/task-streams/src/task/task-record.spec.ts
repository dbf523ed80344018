import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeTaskRecord } from './task-record.js';

describe('decodeTaskRecord', () => {
  it('reads a task that waits', () => {
    expect(decodeTaskRecord('waiting - 5-0 - 0 0 h4sh 1000 -\nreports.export\n\n')).toEqual({
      state: 'waiting',
      entryId: '5-0',
      token: undefined,
      failedAttempts: 0,
      deliveryCount: 0,
      hash: 'h4sh',
      enqueuedAt: 1_000,
      startedAt: undefined,
      finishedAt: undefined,
      dueAt: undefined,
      name: 'reports.export',
      result: undefined,
      resultOmitted: undefined,
      error: undefined,
      progress: undefined,
    });
  });

  it('reads the second part as the end of a task that ended, and as when it is due for another', () => {
    expect(decodeTaskRecord('completed 2000 5-0 n.1 0 1 h 1000 1500\nx\n\n')).toMatchObject({
      finishedAt: 2_000,
      dueAt: undefined,
    });
    expect(decodeTaskRecord('retrying 2000 - - 1 1 h 1000 1500\nx\n\n')).toMatchObject({
      finishedAt: undefined,
      dueAt: 2_000,
      failedAttempts: 1,
    });
  });

  it('reads what is kept of the outcome', () => {
    const tail = (state: string, text: string): unknown => decodeTaskRecord(`${state} 3 - - 0 1 h 1 2\nx\n\n${text}`);

    expect(tail('completed', 'r{"url":"/a"}')).toMatchObject({ result: { url: '/a' } });
    expect(tail('completed', 'rnull')).toMatchObject({ result: null });
    expect(tail('completed', 'otoo-large')).toMatchObject({ result: undefined, resultOmitted: 'too-large' });
    expect(tail('dead', 'e{"name":"Error","message":"a\\nb"}')).toMatchObject({
      error: { name: 'Error', message: 'a\nb' },
    });
    expect(tail('active', 'p{"percent":5}')).toMatchObject({ progress: { percent: 5 } });
  });

  it('keeps line breaks in the text that follows', () => {
    expect(decodeTaskRecord('completed 3 - - 0 1 h 1 2\nx\n\nr{\n"a":\n1}')).toMatchObject({ result: { a: 1 } });
  });

  it.each(['', 'flying 5-0', '{"state":"waiting"}', '\n\n', 'toString - -'])(
    'answers undefined for text that is no record: %o',
    (text) => {
      expect(decodeTaskRecord(text)).toBeUndefined();
    },
  );

  it('reads a damaged record as far as it goes', () => {
    expect(decodeTaskRecord('active')).toMatchObject({ state: 'active', failedAttempts: 0, name: '' });
    expect(decodeTaskRecord('active NaN - - x y h z -1\nx\n\nr{broken')).toMatchObject({
      failedAttempts: 0,
      enqueuedAt: undefined,
      result: undefined,
    });
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        decodeTaskRecord(text);
        decodeTaskRecord(`dead ${text}`);
      }),
    );
  });
});

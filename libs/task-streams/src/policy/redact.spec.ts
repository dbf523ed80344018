import { describe, expect, it } from 'vitest';
import { redact, REDACTED_BY_DEFAULT } from './redact.js';

const clean = (value: unknown, more: readonly string[] = []) => redact(value, [...REDACTED_BY_DEFAULT, ...more]);

describe('redact', () => {
  it('replaces secret members by whole name and by word, whatever the case', () => {
    expect(clean({ PASSWORD: 1, accessToken: 2, 'X-Api-Token': 3, card_number: 4, Authorization: 'Bearer x' })).toEqual(
      {
        PASSWORD: '[redacted]',
        accessToken: '[redacted]',
        'X-Api-Token': '[redacted]',
        card_number: '[redacted]',
        Authorization: '[redacted]',
      },
    );
  });

  it('leaves names that only contain the letters', () => {
    expect(clean({ discarded: 1, tokenizer: 2, cardinality: 3 })).toEqual({
      discarded: 1,
      tokenizer: 2,
      cardinality: 3,
    });
  });

  it('looks into lists and objects, and covers all that is below a secret name', () => {
    expect(clean({ list: [{ card: { holder: 'x' } }], deep: { secret: [1] } })).toEqual({
      list: [{ card: '[redacted]' }],
      deep: { secret: '[redacted]' },
    });
  });

  it('knows the names that are given', () => {
    expect(clean({ iban: 'DE0', note: 'n' }, ['iban'])).toEqual({ iban: '[redacted]', note: 'n' });
  });

  it('leaves out what lies too deep', () => {
    let value: unknown = { password: 'x' };
    for (let i = 0; i < 30; i += 1) value = { value };
    expect(JSON.stringify(clean(value))).not.toContain('"x"');
  });

  it('gives anything else back as it is', () => {
    expect([clean('text'), clean(null), clean(3)]).toEqual(['text', null, 3]);
  });
});

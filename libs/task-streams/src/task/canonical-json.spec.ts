import { describe, expect, it } from 'vitest';
import { canonicalJson } from './canonical-json.js';

describe('canonicalJson', () => {
  it.each([
    ['members', '{"b":2,"a":1}', '{"a":1,"b":2}'],
    ['members at any depth', '[{"x":[{"b":1,"a":{"d":1,"c":2}}]}]', '[{"x":[{"a":{"c":2,"d":1},"b":1}]}]'],
    ['whole numbers first', '{"b":1,"10":1,"a":1,"9":1,"01":1}', '{"9":1,"10":1,"01":1,"a":1,"b":1}'],
    ['__proto__ as a member', '{"b":1,"__proto__":{"d":1,"c":2}}', '{"__proto__":{"c":2,"d":1},"b":1}'],
    ['names beyond ASCII', '{"é":1,"z":1,"\\ud800":1,"🧀":1}', '{"z":1,"é":1,"\\ud800":1,"🧀":1}'],
  ])('puts %s in order', (_what, json, expected) => {
    expect(canonicalJson(json)).toBe(expected);
    expect(canonicalJson(expected)).toBe(expected);
    expect(JSON.parse(canonicalJson(json))).toEqual(JSON.parse(json));
  });

  it.each(['null', '"b"', '[2,1]', '{}', '{"a":"{\\"c\\":1,\\"b\\":2}"}', '[{"a":1},{"a":0}]'])(
    'leaves %s alone',
    (json) => expect(canonicalJson(json)).toBe(json),
  );
});

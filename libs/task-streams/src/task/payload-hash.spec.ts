import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { hashPayload } from './payload-hash.js';

describe('the hash of a payload', () => {
  it('is the same for the same payload and another for another', () => {
    expect(hashPayload('{"a":1}')).toBe(hashPayload('{"a":1}'));
    expect(hashPayload('{"a":1}')).not.toBe(hashPayload('{"a":2}'));
  });

  it('is what a script makes of the same bytes', () => {
    const ofScript = createHash('sha1').update('"ä"').digest('hex').slice(0, 24);

    expect(hashPayload('"ä"')).toBe(ofScript);
  });
});

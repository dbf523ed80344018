import { hash } from 'node:crypto';

const LENGTH = 24;

/**
 * A short hash of a payload, to notice another payload under a known id or key: 96 bits, as a script can make it, too
 * (lib/record.lua).
 */
export function hashPayload(body: string): string {
  return hash('sha1', body, 'hex').slice(0, LENGTH);
}

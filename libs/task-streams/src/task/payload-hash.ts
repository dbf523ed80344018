import { hash } from 'node:crypto';

const LENGTH = 16;

/**
 * A short hash of a payload, to notice another payload under a known id or key: 96 bits, as 16 characters that are safe
 * in every text.
 */
export function hashPayload(body: string): string {
  return hash('sha1', body, 'base64url').slice(0, LENGTH);
}

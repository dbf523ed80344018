/** What a token is made of: `<nonce of the worker>.<claim>.<lease in ms>.<claimed at>.<delivery count as Redis keeps it>`. */
type TokenParts = readonly [nonce: string, claim: string, leaseMs: string, claimedAt: string, deliveries: string];

export function splitToken(token: string): TokenParts {
  return token.split('.') as unknown as TokenParts;
}

/** Of two claims of one worker the higher one came later. */
export function claimOf(token: string): number {
  return Number(splitToken(token)[1]);
}

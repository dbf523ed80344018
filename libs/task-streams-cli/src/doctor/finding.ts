/** What is looked at, in the order it is told. */
export const CHECKS = [
  'version',
  'persistence',
  'eviction',
  'memory',
  'clock',
  'permissions',
  'format',
  'scripts',
  'readable',
  'no-workers',
  'stale-workers',
  'paused',
  'unknown-tasks',
  'foreign-use',
  'foreign-entries',
  'oldest-waiting',
  'dead-letters',
] as const;

export type Check = (typeof CHECKS)[number];

/** One thing that was found, good or bad. */
export interface Finding {
  readonly check: Check;
  readonly status: 'ok' | 'warn' | 'fail';
  /** `undefined` for what is about the server. */
  readonly queue?: string;
  readonly message: string;
  /** What to do; absent where nothing is to be done. */
  readonly cure?: string;
}

/** The worst of them. */
export function worstOf(findings: readonly Finding[]): Finding['status'] {
  if (findings.some(({ status }) => status === 'fail')) return 'fail';
  return findings.some(({ status }) => status === 'warn') ? 'warn' : 'ok';
}

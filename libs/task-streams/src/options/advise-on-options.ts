import type { ResolvedOptions } from './resolved-options.js';

/** A call to Redis is given up after so many milliseconds of silence. */
const CALL_MS = 3_000;

/**
 * What is allowed and still seldom meant: values that do not go together. One sentence each, without its full stop.
 *
 * @internal
 */
export function adviseOnOptions(options: ResolvedOptions): string[] {
  const { leaseMs, retention, mode } = options;
  const { sweepMs, deferralLimitMs } = options.timing;
  if (mode === 'producer') return [];
  return [
    leaseMs < CALL_MS &&
      `Option leaseMs is ${leaseMs}: an answer of Redis, or a turn of the event loop, that takes as long makes tasks run ` +
        `twice. Use at least ${CALL_MS}`,
    sweepMs > leaseMs &&
      `Option timing.sweepMs is ${sweepMs} and leaseMs ${leaseMs}: tasks of a worker that died wait for the sweep long after ` +
        'their lease. Make sweepMs the smaller one',
    deferralLimitMs < leaseMs &&
      `Option timing.deferralLimitMs is ${deferralLimitMs} and leaseMs ${leaseMs}: a task whose idempotency key a dead worker ` +
        'holds is given up before the key is free. Make deferralLimitMs the larger one',
    retention.idempotencyKeysMs < leaseMs &&
      `Option retention.idempotencyKeysMs is ${retention.idempotencyKeysMs} and leaseMs ${leaseMs}: a mark is gone before ` +
        'a task that is handed out again could meet it. Make idempotencyKeysMs the larger one',
  ].filter((advice) => advice !== false);
}

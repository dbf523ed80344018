import { CHECKS, type Check, type Finding } from './finding.js';
import type { Facts } from './gather.js';
import { judgeQueue } from './judge-queue.js';
import { judgeServer } from './judge-server.js';

const GOOD: Readonly<Partial<Record<Check, string>>> = {
  readable: 'every queue can be read',
  'no-workers': 'whatever waits has a worker',
  'stale-workers': 'every worker was heard of lately',
  paused: 'no queue is paused',
  'unknown-tasks': 'no dead letter of a task without a handler',
  'foreign-use': 'no other program uses the keys of a queue, of those looked at',
  'foreign-entries': 'no entry that is no task, of those looked at',
  'oldest-waiting': 'no task has waited too long',
  'dead-letters': 'there are none',
};

/** Everything that was found, in the order of the checks; a check without a fault says so in one line. */
export function judge(facts: Facts, limits: { readonly maxWaitMs: number }): Finding[] {
  const found: Finding[] = [
    ...judgeServer(facts.exam),
    ...[...facts.unreadable].map(([queue, why]): Finding => {
      const cure = 'Look at its keys with redis-cli: another program has written to one of them (see foreign-use)';
      return { check: 'readable', status: 'fail', queue, message: `it cannot be read: ${why}`, cure };
    }),
    ...[...facts.queues.values()].flatMap((queue) => judgeQueue(queue, limits)),
  ];
  return CHECKS.flatMap((check) => {
    const own = found.filter((finding) => finding.check === check);
    return own.length > 0 ? own : [{ check, status: 'ok', message: GOOD[check] ?? '' } as const];
  });
}

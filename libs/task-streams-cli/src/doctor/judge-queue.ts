import type { FailureGroup } from 'nestjs-task-streams';
import { showCount, showNumber, showSpan } from '../output/format.js';
import { pausedText } from '../paused-text.js';
import type { Check, Finding } from './finding.js';
import type { QueueFacts } from './gather.js';

const MAX_NAMES = 5;

/** What is not as it should be in a queue; empty where all is well. */
export function judgeQueue(facts: QueueFacts, { maxWaitMs }: { readonly maxWaitMs: number }): Finding[] {
  return [
    noWorkers(facts),
    staleWorkers(facts),
    paused(facts),
    unknownTasks(facts),
    foreignUse(facts),
    oldestWaiting(facts, maxWaitMs),
    deadLetters(facts),
  ].filter((finding) => finding !== undefined);
}

function noWorkers({ overview, workers }: QueueFacts): Finding | undefined {
  const { queue, waiting, delayed, active } = overview;
  if (workers.some(({ isLive }) => isLive) || waiting + delayed + active === 0) return undefined;
  const status = waiting + active > 0 ? 'fail' : 'warn';
  const what = `${showNumber(waiting)} waiting, ${showNumber(active)} active, ${showNumber(delayed)} delayed tasks`;
  return of(queue, 'no-workers', status, `${what}, and no worker`, 'Start a worker with handlers of this queue');
}

function staleWorkers({ overview: { queue }, workers }: QueueFacts): Finding | undefined {
  const stale = workers.filter(({ isLive }) => !isLive);
  if (stale.length === 0) return undefined;
  const held = stale.reduce((sum, { pendingCount }) => sum + pendingCount, 0);
  const names = listed(stale.map(({ name, idleMs }) => `${name} (${showSpan(idleMs)} ago)`));
  const holding = held > 0 ? `, holding ${showCount(held, 'task')}` : '';
  const message = `${showCount(stale.length, 'worker')} not heard of${holding}: ${names}`;
  const cure =
    held > 0
      ? 'Any living worker of the queue takes the tasks over: see that there is one'
      : 'Look at why they ended without saying so; they are forgotten after a day (timing.consumerTtlMs)';
  return of(queue, 'stale-workers', 'warn', message, cure);
}

function paused({ overview: { queue, paused: who } }: QueueFacts): Finding | undefined {
  if (who === undefined) return undefined;
  return of(queue, 'paused', 'warn', `paused ${pausedText(who)}`, `task-streams queues resume ${queue}`);
}

function unknownTasks({ overview: { queue }, groups }: QueueFacts): Finding | undefined {
  const unknown = groups.filter(({ reason }) => reason === 'unknown-task');
  if (unknown.length === 0) return undefined;
  const message = `${lettersOf(unknown)} of tasks without a handler: ${listed(unknown.map(({ task }) => task))}`;
  const cure = `Deploy their handlers, then task-streams dlq redrive ${queue} --reason unknown-task`;
  return of(queue, 'unknown-tasks', 'fail', message, cure);
}

function foreignUse({ overview: { queue }, groups, foreignEntries }: QueueFacts): Finding | undefined {
  const dead = groups.filter(({ reason }) => reason === 'missing-field' || reason === 'invalid-json');
  const found = [
    ...(foreignEntries.length > 0 ? [`entries that are no tasks: ${listed(foreignEntries)}`] : []),
    ...(dead.length > 0 ? [`${lettersOf(dead)} that were no tasks`] : []),
  ];
  if (found.length === 0) return undefined;
  const cure = 'Find the program that writes past the client; docs/wire-format.md says what an entry is';
  return of(queue, 'foreign-entries', 'warn', found.join(', '), cure);
}

function oldestWaiting({ overview }: QueueFacts, maxWaitMs: number): Finding | undefined {
  const { queue, waiting, oldestWaitingMs, paused: who } = overview;
  // Whoever pauses a queue wants its tasks to wait.
  if (who !== undefined || waiting === 0 || oldestWaitingMs <= maxWaitMs) return undefined;
  const message = `the oldest of ${showCount(waiting, 'task')} has waited ${showSpan(oldestWaitingMs)}, more than ${showSpan(maxWaitMs)}`;
  return of(queue, 'oldest-waiting', 'warn', message, 'Start more workers, raise concurrency, or look at what is slow');
}

function deadLetters({ overview: { queue, dead } }: QueueFacts): Finding | undefined {
  if (dead === 0) return undefined;
  return of(queue, 'dead-letters', 'warn', showCount(dead, 'dead letter'), `task-streams dlq groups ${queue}`);
}

function of(queue: string, check: Check, ...[status, message, cure]: [Finding['status'], string, string]): Finding {
  return { check, status, queue, message, cure };
}

function lettersOf(groups: readonly FailureGroup[]): string {
  return showCount(
    groups.reduce((sum, { count }) => sum + count, 0),
    'dead letter',
  );
}

function listed(names: readonly string[]): string {
  const all = [...new Set(names)];
  const more = all.length > MAX_NAMES ? ` and ${all.length - MAX_NAMES} more` : '';
  return `${all.slice(0, MAX_NAMES).join(', ')}${more}`;
}

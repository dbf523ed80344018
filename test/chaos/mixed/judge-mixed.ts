import { isDeepStrictEqual } from 'node:util';
import type { Verdict } from '../checker/check.js';
import { fenceViolations } from '../checker/fences.js';
import type { History } from '../checker/history.js';
import type { Bench } from '../harness/bench.js';
import { QueueWatch, type SeenRecord } from '../harness/queue-watch.js';
import { MIXED_QUEUES } from '../worker/settings.js';
import { Runs } from './runs.js';
import { overlaps, repeats, standstills } from './running.js';
import type { MixedTask } from './tasks.js';

interface Letter {
  readonly reason: string;
  readonly body: string | undefined;
}

interface Seen {
  readonly records: ReadonlyMap<string, SeenRecord>;
  readonly letters: ReadonlyMap<string, readonly Letter[]>;
}

interface Place {
  readonly id: string;
  readonly queue: string;
}

/** Ids of what the completion of a task enqueues. Those that the library makes follow from when the task was enqueued. */
function childrenOf({ id, payload, feature }: MixedTask, records: Seen['records']): Place[] {
  const { enqueuedAt = 0 } = records.get(id) ?? {};
  const children = (payload.followUps ?? []).map((child, n) => ({
    queue: child.queue,
    id: child.id ?? `${id}:${enqueuedAt.toString(36)}:${n + 1}`,
  }));
  // The id that is taken is another task's.
  return feature === 'conflict' ? children.slice(0, 1) : children;
}

async function look(bench: Bench, tasks: readonly MixedTask[]): Promise<Seen> {
  const records = new Map<string, SeenRecord>();
  const letters = new Map<string, Letter[]>();
  const queues = Object.keys(MIXED_QUEUES);
  const read = async (places: readonly Place[]) => {
    for (const queue of queues) {
      const ids = places.filter((one) => one.queue === queue).map(({ id }) => id);
      const found = await new QueueWatch(() => bench.redis.url, queue).records(ids);
      for (const [id, record] of found) records.set(id, record);
    }
  };
  await read(tasks);
  await read(tasks.flatMap((task) => childrenOf(task, records)));
  for (const queue of queues) {
    let cursor: string | undefined;
    do {
      const page = await bench.producer.deadLetters.list(queue, { limit: 1_000, cursor });
      for (const { taskId, reason, body } of page.letters) {
        letters.set(taskId, [...(letters.get(taskId) ?? []), { reason, body }]);
      }
      cursor = page.cursor;
    } while (cursor !== undefined);
  }
  return { records, letters };
}

function endOf(id: string, { records, letters }: Seen): string {
  const state = records.get(id)?.state ?? 'gone';
  return state === 'dead' ? `dead:${letters.get(id)?.[0]?.reason ?? 'without a letter'}` : state;
}

/** Findings of one kind as one sentence, with the first of them. */
class Found {
  readonly #kinds = new Map<string, string[]>();

  add(kind: string, example: string): void {
    this.#kinds.set(kind, [...(this.#kinds.get(kind) ?? []), example]);
  }

  get sentences(): string[] {
    return [...this.#kinds].map(
      ([kind, examples]) => `${kind}: ${examples.length}, such as ${examples.slice(0, 3).join(', ')}`,
    );
  }
}

/** Each task that was accepted ended once, as it may, and with the bytes it was sent with. */
function judgeEnds(tasks: readonly MixedTask[], history: History, seen: Seen, runs: Runs, found: Found): string[] {
  const lost: string[] = [];
  for (const { id, feature, ends, payload } of tasks) {
    if (!history.acked.has(id)) continue;
    const end = endOf(id, seen);
    const isExcused = end === 'dead:crash-limit' && runs.wereAllLost(id);
    if (!ends.includes(end) && !isExcused) {
      found.add(`I1: ${feature} tasks that ended as ${end}`, id);
      if (!end.startsWith('dead') && end !== 'cancelled' && end !== 'completed') lost.push(id);
    }
    const letters = seen.letters.get(id) ?? [];
    if (letters.length > 1) found.add('I4: tasks with more than one dead letter', id);
    // Under an id of its sender's the members come in the order of their names.
    const changed = letters.some(({ body }) => body !== undefined && !isDeepStrictEqual(JSON.parse(body), payload));
    if (changed) found.add('I9: dead letters with other data than was sent', id);
    const result = seen.records.get(id)?.result;
    if (end === 'completed' && result !== JSON.stringify({ key: payload.key })) found.add('I9: other results', id);
  }
  return lost;
}

/** What a task enqueues is there if it completed, and never otherwise. */
function judgeChildren(tasks: readonly MixedTask[], seen: Seen, runs: Runs, found: Found): void {
  for (const task of tasks) {
    const isCompleted = endOf(task.id, seen) === 'completed';
    for (const { id } of childrenOf(task, seen.records)) {
      const end = endOf(id, seen);
      if (isCompleted && end !== 'completed' && !(end === 'dead:crash-limit' && runs.wereAllLost(id))) {
        found.add(`I1: follow-ups of completed tasks that are ${end}`, id);
      }
      if (!isCompleted && (end !== 'gone' || runs.of(id).length > 0)) {
        found.add('I3: follow-ups of tasks that did not complete', `${id} (${end})`);
      }
    }
  }
}

/** The verdict about a mixed run. */
export async function judgeMixed(bench: Bench, history: History, tasks: readonly MixedTask[]): Promise<Verdict> {
  const ended = new Set(bench.fleet.exits.map(({ pid }) => pid));
  const runs = new Runs(history, ended);
  const seen = await look(bench, tasks);
  const found = new Found();
  const lost = judgeEnds(tasks, history, seen, runs, found);
  judgeChildren(tasks, seen, runs, found);
  // The tasks of a trimmed stream are sent again by hand: they run again, and waited for that.
  const victims = new Set(tasks.filter(({ feature }) => feature === 'victim').map(({ id }) => id));
  const others = tasks.filter(({ id }) => !victims.has(id));
  const findings = [...overlaps(tasks, runs), ...repeats(runs, victims), ...standstills(others, history, runs, 20_000)];
  for (const [kind, example] of findings) found.add(kind, example);
  return { lost, forgiven: [], violations: [...found.sentences, ...fenceViolations(history)] };
}

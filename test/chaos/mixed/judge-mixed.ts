import { isDeepStrictEqual } from 'node:util';
import type { Verdict } from '../checker/check.js';
import { fenceViolations } from '../checker/fences.js';
import type { History } from '../checker/history.js';
import type { Bench } from '../harness/bench.js';
import type { SeenRecord } from '../harness/queue-watch.js';
import { MIXED_QUEUES } from '../worker/settings.js';
import { Rewound } from '../checker/rewound.js';
import { Runs } from './runs.js';
import { overlaps, repeats, secondBegins, standstills } from './running.js';
import { isDurable, type MixedTask } from './tasks.js';

/** On a machine that is busy with other things. */
const MOST_STILL_MS = 20_000;

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
      const found = await bench.watchOf(queue).records(ids);
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

/** What a run is judged by. */
interface Case {
  readonly history: History;
  readonly seen: Seen;
  readonly runs: Runs;
  readonly rewound: Rewound;
  readonly found: Found;
}

/** A replica that took over did not have it, and nobody had been told that one did. */
function mayBeGone(task: MixedTask, { history, rewound }: Case): boolean {
  return !isDurable(task) && rewound.covers(history.ackedLast.get(task.id));
}

interface Gone {
  readonly lost: readonly string[];
  readonly forgiven: readonly string[];
}

/** Each task that was accepted ended once, as it may, and with the bytes it was sent with. */
function judgeEnds(tasks: readonly MixedTask[], about: Case): Gone {
  const { history, seen, runs, found } = about;
  const lost: string[] = [];
  const forgiven: string[] = [];
  for (const task of tasks) {
    const { id, feature, ends, payload } = task;
    if (!history.acked.has(id)) continue;
    const end = endOf(id, seen);
    const isExcused = end === 'dead:crash-limit' && runs.wereAllLost(id);
    if (!ends.includes(end) && !isExcused) {
      if (end === 'gone' && mayBeGone(task, about)) {
        forgiven.push(id);
        continue;
      }
      found.add(`I1: ${isDurable(task) ? 'confirmed ' : ''}${feature} tasks that ended as ${end}`, id);
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
  return { lost, forgiven };
}

/** What a task enqueues is there if it completed, and never otherwise. */
function judgeChildren(tasks: readonly MixedTask[], { seen, runs, rewound, found }: Case): void {
  for (const task of tasks) {
    const isCompleted = endOf(task.id, seen) === 'completed';
    for (const { id } of childrenOf(task, seen.records)) {
      const end = endOf(id, seen);
      if (isCompleted && end !== 'completed' && !(end === 'dead:crash-limit' && runs.wereAllLost(id))) {
        found.add(`I1: follow-ups of completed tasks that are ${end}`, id);
      }
      // Its completion, and with it the follow-up, may have been forgotten after the follow-up ran.
      const wasCompleted = runs
        .of(task.id)
        .some(({ settled }) => settled?.outcome === 'complete' && rewound.covers(settled.t));
      if (!isCompleted && (end !== 'gone' || (runs.of(id).length > 0 && !wasCompleted))) {
        found.add('I3: follow-ups of tasks that did not complete', `${id} (${end})`);
      }
    }
  }
}

/** The verdict about a mixed run. */
export async function judgeMixed(
  bench: Bench,
  history: History,
  tasks: readonly MixedTask[],
  { isRunningOnce }: { readonly isRunningOnce?: boolean },
): Promise<Verdict> {
  const ended = new Set(bench.fleet.exits.map(({ pid }) => pid));
  const runs = new Runs(history, ended);
  const rewound = new Rewound(history);
  const about: Case = { history, runs, rewound, seen: await look(bench, tasks), found: new Found() };
  const { found } = about;
  const gone = judgeEnds(tasks, about);
  judgeChildren(tasks, about);
  const findings = [
    ...overlaps(tasks, runs, rewound),
    ...repeats(runs, history, rewound),
    ...(isRunningOnce ? secondBegins(runs) : []),
    ...standstills(tasks, history, runs, MOST_STILL_MS),
  ];
  for (const [kind, example] of findings) found.add(kind, example);
  const isForgotten = ({ t }: { readonly t: number }) => rewound.covers(t);
  return { ...gone, violations: [...found.sentences, ...fenceViolations(history, { isForgotten })] };
}

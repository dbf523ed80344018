import { isDeepStrictEqual } from 'node:util';
import type { QueueWatch } from '../harness/queue-watch.js';
import { KEYS } from '../harness/queue-watch.js';
import type { Expectations } from './expectations.js';
import { fenceViolations } from './fences.js';
import { groupBy, type History } from './history.js';
import { timingViolations } from './timing.js';

export interface DeadTask {
  readonly id: string;
  readonly reason: string;
  /** The payload as text. */
  readonly body: string | undefined;
}

/** What was found in Redis after the run. */
export interface Findings {
  readonly history: History;
  readonly states: ReadonlyMap<string, string>;
  readonly dead: readonly DeadTask[];
  readonly isDrained: boolean;
  /** What was sent, as JSON, by id. */
  readonly bodies: ReadonlyMap<string, string>;
  /** What completed tasks answered, as JSON. */
  readonly results: ReadonlyMap<string, string | undefined>;
}

export interface Verdict {
  readonly lost: readonly string[];
  /** Gone as well, and expected to be: Redis lost them, or somebody deleted them. */
  readonly forgiven: readonly string[];
  readonly violations: string[];
}

/** I1: what was accepted is done, a dead letter, or still to be seen. */
function goneTasks({ history, states, dead, isDrained }: Findings): string[] {
  const completed = history.completed();
  const letters = new Set(dead.map(({ id }) => id));
  return [...history.acked.keys()].flatMap((id) => {
    const state = states.get(id);
    const isEnded = state === 'completed' || completed.has(id) || letters.has(id);
    // Where the queue is empty, a record that says "waiting" is about a task that is nowhere.
    const isVisible = !isDrained && state !== undefined && state !== 'dead';
    return isEnded || isVisible ? [] : [id];
  });
}

/** A task that counts as completed has had its effect, or another one of its key has. */
function hollowCompletions({ history, states }: Findings): number {
  const made = new Set(history.effects.map(({ key }) => key));
  const isHollow = ([id, state]: [string, string]) => state === 'completed' && !made.has(history.keys.get(id) ?? id);
  return [...states].filter(isHollow).length;
}

/** I3: one effect a business key. */
function effectViolations({ history }: Findings, expected: Expectations): string[] {
  const found: string[] = [];
  if (expected.hasUniqueEffects) {
    const twice = [...groupBy(history.onces, ({ key }) => key).values()].filter((lines) => lines.length > 1).length;
    if (twice > 0) found.push(`I3: ${twice} effects under a unique key happened twice`);
  }
  return [...found, ...rawEffectViolations(history, expected)];
}

/** Effects that nothing but the library itself keeps from happening twice. */
function rawEffectViolations({ effects, kills }: History, expected: Expectations): string[] {
  const { rawEffects, mostRawDoubled, doubledEqualsKills } = expected;
  const times = [...groupBy(effects, ({ key }) => key).values()].map((lines) => lines.length);
  const over = (most: number) => times.filter((count) => count > most).length;
  const found: string[] = [];
  if (rawEffects !== undefined && over(rawEffects) > 0) {
    found.push(`I3: ${over(rawEffects)} business keys had their effect more than ${rawEffects} times`);
  }
  if (mostRawDoubled !== undefined && over(1) > mostRawDoubled) {
    found.push(`I3: ${over(1)} business keys had their effect again, allowed are ${mostRawDoubled}`);
  }
  if (doubledEqualsKills && over(1) !== kills.length) {
    found.push(
      `I3: ${over(1)} effects happened twice, and ${kills.length} workers were killed between effect and mark`,
    );
  }
  return found;
}

/** I4: the dead letters are the expected ones, each once. */
function deadViolations({ dead }: Findings, expected: Expectations): string[] {
  const found: string[] = [];
  // The tombstone of an entry that somebody deleted does not know its task.
  const named = dead.filter(({ id }) => id !== '');
  const twice = [...groupBy(named, ({ id }) => id).values()].filter((letters) => letters.length > 1).length;
  if (twice > 0) found.push(`I4: ${twice} tasks have more than one dead letter`);
  const { dead: wanted = new Set<string>(), deadReasons } = expected;
  if (wanted !== 'any') {
    const ids = new Set(dead.map(({ id }) => id));
    const surplus = dead.filter(({ id }) => !wanted.has(id));
    if (surplus.length > 0) {
      const [{ id, reason } = { id: '', reason: '' }] = surplus;
      found.push(`I4: ${surplus.length} tasks are dead letters and should not be, such as ${id} (${reason})`);
    }
    const missing = [...wanted].filter((id) => !ids.has(id));
    if (missing.length > 0) found.push(`I4: ${missing.length} dead letters are missing, such as ${missing[0]}`);
  }
  const odd = dead.find(({ reason }) => deadReasons !== undefined && !deadReasons.includes(reason));
  if (odd) found.push(`I4: ${odd.id} is a dead letter because of ${odd.reason}`);
  return found;
}

/** I4: a task that gave up because its workers died was started by none that lived. */
function crashLimitViolations({ history, dead }: Findings): string[] {
  const killed = new Set(history.faults.map(({ victim }) => victim));
  const starts = groupBy(history.starts, ({ id }) => id);
  const surplus = dead.filter(({ id }) => starts.get(id)?.some(({ pid }) => !killed.has(pid)) ?? true);
  const [first] = surplus;
  return first ? [`I4: ${surplus.length} tasks gave up though a worker that ran them lived, such as ${first.id}`] : [];
}

/** Under an id of its sender's the members of a payload come in the order of their names. */
function isSameData(sent: string | undefined, kept: string): boolean {
  if (sent === kept) return true;
  try {
    return sent !== undefined && isDeepStrictEqual(JSON.parse(sent), JSON.parse(kept));
  } catch {
    return false;
  }
}

/** I9: a dead letter has the data that was sent, and a result is what the handler answered. */
function contentViolations({ dead, bodies, results, history }: Findings, expected: Expectations): string[] {
  const found: string[] = [];
  const changed = dead.filter(
    ({ id, body }) => body !== undefined && bodies.has(id) && !isSameData(bodies.get(id), body),
  );
  if (changed.length > 0 && !expected.areBodiesMended) {
    found.push(`I9: ${changed.length} dead letters have other data than was sent, such as ${changed[0]?.id}`);
  }
  const odd = [...results].filter(([id, json]) => json !== JSON.stringify({ key: history.keys.get(id) }));
  if (odd.length > 0) found.push(`I9: ${odd.length} results are not the handler's, such as ${odd[0]?.join(' ')}`);
  return found;
}

/** I8: no task takes more attempts or deliveries than it may: one more than the crash limit, where a crash met it beside others. */
function limitViolations({ history }: Findings, { attempts = 3, handouts = 4 }: Expectations): string[] {
  const over = history.starts.filter((line) => line.attempt > attempts || line.deliveries > handouts);
  const [first] = over;
  if (!first) return [];
  return [
    `I8: ${over.length} runs beyond ${attempts} attempts or ${handouts} hand-outs, such as ${first.id} ` +
      `(attempt ${first.attempt}, hand-out ${first.deliveries})`,
  ];
}

/** I2: nothing is left behind in Redis but records and letters that will expire. */
export async function leftovers(watch: QueueWatch): Promise<string[]> {
  const keys = await watch.keys();
  const found: string[] = [];
  const bodies = keys.filter((key) => key.startsWith(`${KEYS.delayed.slice(0, -'delayed'.length)}d:`));
  if (bodies.length > 0) found.push(`I2: ${bodies.length} bodies of delayed tasks are left over`);
  const [owners] = await watch.ask(['HLEN', KEYS.owners]);
  if (typeof owners === 'number' && owners > 0) found.push(`I2: ${owners} entries still have an owner`);
  const records = keys.filter((key) => key.startsWith(KEYS.record('')));
  const immortal = await watch.withoutExpiry(records);
  if (immortal.length > 0) found.push(`I2: ${immortal.length} records never expire, such as ${immortal[0]}`);
  return found;
}

export function judge(findings: Findings, expected: Expectations): Verdict {
  const { history, isDrained } = findings;
  const gone = goneTasks(findings);
  const { lossForgivenBefore = 0, lossForgiven } = expected;
  const isForgiven = (id: string) => lossForgiven?.has(id) || (history.acked.get(id) ?? 0) < lossForgivenBefore;
  const lost = gone.filter((id) => !isForgiven(id));
  const violations: string[] = [];
  if (lost.length > 0) violations.push(`I1: ${lost.length} accepted tasks are lost, such as ${lost[0]}`);
  if (!isDrained) violations.push('I2: the queue was not drained in time');
  const hollow = hollowCompletions(findings);
  if (hollow > 0) violations.push(`I1: ${hollow} tasks count as completed and had no effect`);
  violations.push(
    ...effectViolations(findings, expected),
    ...deadViolations(findings, expected),
    ...contentViolations(findings, expected),
    ...(expected.diesOfKillsOnly ? crashLimitViolations(findings) : []),
    ...(expected.isRewound ? [] : fenceViolations(history, { makesZombies: expected.makesZombies })),
    ...limitViolations(findings, expected),
    ...timingViolations(history, expected),
  );
  return { lost, forgiven: gone.filter(isForgiven), violations };
}

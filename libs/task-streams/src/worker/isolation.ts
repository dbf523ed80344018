import type { Run } from './run.js';

/** How long a process starts nothing else so that what runs can end, and then while a suspect has it for itself. */
const [CLEAR_MS, ALONE_MS] = [500, 1_000];
/** How long a suspect waits for its turn; then it starts beside whatever runs. */
const WAIT_MS = 30_000;
/** The least time between two turns, and the pause after one for which the process did not become quiet. */
const [GAP_MS, RETRY_GAP_MS] = [100, 2_000];

/** One queue's runs, as far as isolation is concerned. */
export interface IsolatedRuns {
  /** Runs that are at work, or whose outcome Redis is being told. */
  readonly activeCount: number;
  /** Told when something may start, or be fetched, that could not before. */
  tellFree(): void;
  /** Told when others may join a suspect that was started alone: a crash is not held against it any more. */
  share(suspect: Run): Promise<void>;
}

/** How a suspect was started: `alone`, as the only task of its process, or `beside` others. */
export type SuspectStart = 'alone' | 'beside';

interface Suspect {
  readonly run: Run;
  readonly member: IsolatedRuns;
  /** Its first trial, or the one after a crash that several suspects were in. */
  readonly isFirst: boolean;
  readonly since: number;
  state: 'held' | 'admitted' | 'started';
  isAlone: boolean;
}

/** The time in which nothing but one suspect may start. */
interface Turn {
  readonly suspect: Suspect;
  readonly since: number;
  until: number;
}

/**
 * Tells a task that kills its process from those beside it, across all queues of the process, and holds up nothing else for
 * more than {@link CLEAR_MS} and {@link ALONE_MS}. A suspect is a task whose process died with it so often that one more
 * time makes it a dead letter.
 *
 * - Several suspects at their first trial start together, beside everything: most often all of them are harmless, and were
 *   met by kills from outside. If the process dies, none of them is blamed.
 * - Any other has a turn: nothing else starts until the process is quiet, then it starts, and has the process for itself for
 *   a second. Then others may start beside it; a crash is held against it still where this is its second trial.
 * - A suspect that found no quiet process within {@link WAIT_MS} starts beside others. Those that are blamed for a crash then start
 *   {@link ALONE_MS} apart, so that a killer among them is told from the rest.
 */
export class Isolation {
  private readonly members: IsolatedRuns[] = [];
  private readonly suspects = new Map<Run, Suspect>();
  private turn: Turn | undefined;
  private nextTurnAt = 0;
  /** When the next one that is blamed for a crash may start beside others. */
  private nextBlamedAt = 0;
  private timer: NodeJS.Timeout | undefined;

  join(member: IsolatedRuns): void {
    this.members.push(member);
  }

  /** There is a suspect in this process. */
  get hasSuspects(): boolean {
    return this.suspects.size > 0;
  }

  /** A suspect has its turn: nothing else starts, and nothing is fetched. */
  get isClosed(): boolean {
    return this.turn !== undefined;
  }

  isHeld(run: Run): boolean {
    return this.suspects.get(run)?.state === 'held';
  }

  hold(run: Run, isFirst: boolean, member: IsolatedRuns): void {
    this.suspects.set(run, { run, member, isFirst, since: performance.now(), state: 'held', isAlone: false });
  }

  /** How a suspect was started; `undefined` for other tasks. */
  startOf(run: Run): SuspectStart | undefined {
    const suspect = this.suspects.get(run);
    return suspect && (suspect.isAlone && this.turn?.suspect === suspect ? 'alone' : 'beside');
  }

  /** Whether a run may start now; a suspect that may is taken for started. */
  tryStart(run: Run): boolean {
    const suspect = this.suspects.get(run);
    if (!suspect) return !this.isClosed;
    this.advance();
    const { turn } = this;
    if (turn) {
      if (turn.suspect !== suspect || suspect.state === 'started' || !this.isQuiet()) return false;
      suspect.isAlone = true;
      turn.until = performance.now() + ALONE_MS;
      this.arm();
    } else if (suspect.state !== 'admitted') return false;
    suspect.state = 'started';
    return true;
  }

  /** The suspect was settled or lost, or Redis takes long to take its outcome. */
  leave(run: Run): void {
    const suspect = this.suspects.get(run);
    if (!suspect) return;
    this.suspects.delete(run);
    if (this.turn?.suspect === suspect) this.open(GAP_MS);
    this.changed();
  }

  /** Something ended: a suspect that waits may be able to start. */
  changed(): void {
    this.advance();
    this.tell();
  }

  private isQuiet(): boolean {
    return this.members.every((member) => member.activeCount === 0);
  }

  private tell(): void {
    for (const member of this.members) member.tellFree();
  }

  /** Ends what is over, and gives the next suspect its turn. */
  private advance(): void {
    const now = performance.now();
    const wasClosed = this.isClosed;
    if (this.turn && now >= this.turn.until) this.endTurn(this.turn, now);
    let isNews = wasClosed !== this.isClosed;
    for (const suspect of this.suspects.values()) {
      if (now >= this.besideAt(suspect)) isNews = this.admitBeside(suspect, now) || isNews;
    }
    if (!this.turn) isNews = this.choose(now) || isNews;
    this.arm();
    if (isNews) this.tell();
  }

  /** Answers whether anything may start that could not before. */
  private choose(now: number): boolean {
    const all = [...this.suspects.values()];
    const held = all.filter(({ state }) => state === 'held');
    const [head] = held;
    if (!head) return false;
    const firsts = held.filter(({ isFirst }) => isFirst);
    const others = all.filter(({ state }) => state !== 'held');
    // They share no blame, so one more does not matter.
    const canShare =
      others.length > 0 ? others.every((one) => one.isFirst && !one.isAlone) : head.isFirst && firsts.length > 1;
    if (canShare) return firsts.map((one) => this.admit(one)).includes(true);
    if (others.length > 0 || now < this.nextTurnAt) return false;
    this.turn = { suspect: head, since: now, until: now + CLEAR_MS };
    return true;
  }

  private admit(suspect: Suspect): boolean {
    if (suspect.state !== 'held' || this.turn?.suspect === suspect) return false;
    suspect.state = 'admitted';
    return true;
  }

  /** When a suspect need no longer wait for a quiet process. */
  private besideAt({ since, isFirst }: Suspect): number {
    return isFirst ? since + WAIT_MS : Math.max(since + WAIT_MS, this.nextBlamedAt);
  }

  private admitBeside(suspect: Suspect, now: number): boolean {
    const isAdmitted = this.admit(suspect);
    if (isAdmitted && !suspect.isFirst) this.nextBlamedAt = now + ALONE_MS;
    return isAdmitted;
  }

  private endTurn(turn: Turn, now: number): void {
    const { suspect } = turn;
    if (suspect.state === 'started')
      return suspect.isFirst && suspect.isAlone ? this.share(turn, now) : this.open(GAP_MS);
    this.open(RETRY_GAP_MS);
    // Beside others nothing can be laid to its charge yet. In the last trial it can: the next may be luckier.
    if (suspect.isFirst || now >= this.besideAt(suspect)) this.admitBeside(suspect, now);
    this.suspects.delete(suspect.run);
    this.suspects.set(suspect.run, suspect);
  }

  /** Others join it when Redis knows that, or does not say so soon. */
  private share(turn: Turn, now: number): void {
    const { suspect } = turn;
    suspect.isAlone = false;
    turn.until = now + CLEAR_MS;
    void suspect.member.share(suspect.run).finally(() => {
      if (this.turn !== turn) return;
      this.open(GAP_MS);
      this.changed();
    });
  }

  /** At least half of the time belongs to everything else. */
  private open(gapMs: number): void {
    const now = performance.now();
    const closedMs = this.turn ? now - this.turn.since : 0;
    this.turn = undefined;
    this.nextTurnAt = now + Math.max(closedMs, gapMs);
  }

  /** Looks again when time alone changes something. */
  private arm(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    const now = performance.now();
    const held = [...this.suspects.values()].filter(({ state }) => state === 'held');
    const times = held.map((suspect) => this.besideAt(suspect));
    if (this.turn) times.push(this.turn.until);
    else if (held.length > 0 && this.nextTurnAt > now) times.push(this.nextTurnAt);
    if (times.length === 0) return;
    const delayMs = Math.max(Math.ceil(Math.min(...times) - now), 1);
    this.timer = setTimeout(() => this.changed(), delayMs).unref();
  }
}

import type { Run } from './run.js';

/** One queue's runs, as far as isolation is concerned. */
export interface IsolatedRuns {
  /** Runs that are at work, or whose end Redis is being told. */
  readonly activeCount: number;
  /** Told when something may start, or be fetched, that could not before. */
  tellFree(): void;
}

/**
 * Keeps a suspect alone in its process, across all its queues. A suspect is a task at its last permitted hand-out: if the
 * process dies beside it, it becomes a dead letter, whoever did it. So it starts when everything else has ended and is
 * settled, and nothing starts beside it.
 */
export class Isolation {
  private readonly members: IsolatedRuns[] = [];
  private readonly suspects = new Set<Run>();
  private running: Run | undefined;

  join(member: IsolatedRuns): void {
    this.members.push(member);
  }

  /** A suspect is held: nothing more is fetched. */
  get isReserved(): boolean {
    return this.suspects.size > 0;
  }

  /** A suspect runs: nothing else starts. */
  get isOccupied(): boolean {
    return this.running !== undefined;
  }

  hold(suspect: Run): void {
    this.suspects.add(suspect);
  }

  /** Starts a suspect if nothing else is at work in this process. */
  tryStart(suspect: Run): boolean {
    if (this.running || this.members.some((member) => member.activeCount > 0)) return false;
    this.running = suspect;
    return true;
  }

  /** The suspect was settled or lost, or Redis takes long to take its end. */
  leave(suspect: Run): void {
    if (!this.suspects.delete(suspect)) return;
    if (this.running === suspect) this.running = undefined;
    this.changed();
  }

  /** Something ended: a suspect that waits may be able to start. */
  changed(): void {
    for (const member of this.members) member.tellFree();
  }
}

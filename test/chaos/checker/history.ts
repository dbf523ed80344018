import type { FaultLine, HandlerLine, HandoutLine, KillLine, LedgerLine, SettleLine } from '../harness/ledger-lines.js';

/** The ledger of a run, sorted into what the invariants ask about. */
export class History {
  readonly intents = new Set<string>();
  /** When each task was sent first. */
  readonly sentAt = new Map<string, number>();
  /** The business key of each task. */
  readonly keys = new Map<string, string>();
  readonly acked = new Map<string, number>();
  /**
   * When each task was sent that was answered to be new: more than once where it had been lost, or deleted by hand. A worker may
   * have it before its sender is answered.
   */
  readonly added = new Map<string, number[]>();
  /** When each task was last said to be there. */
  readonly ackedLast = new Map<string, number>();
  readonly uncertain = new Set<string>();
  readonly handouts: HandoutLine[] = [];
  readonly starts: HandlerLine[] = [];
  readonly effects: HandlerLine[] = [];
  readonly onces: HandlerLine[] = [];
  readonly settles: SettleLine[] = [];
  readonly faults: FaultLine[] = [];
  readonly kills: KillLine[] = [];
  /** When the run was over. */
  readonly readAt = Date.now();
  readonly counts = new Map<string, number>();
  readonly #sentLast = new Map<string, number>();

  constructor(readonly lines: readonly LedgerLine[]) {
    for (const line of lines) {
      this.counts.set(line.kind, (this.counts.get(line.kind) ?? 0) + 1);
      this.#take(line);
    }
  }

  count(kind: LedgerLine['kind']): number {
    return this.counts.get(kind) ?? 0;
  }

  /** Ids whose completion a worker was told by Redis. */
  completed(): Set<string> {
    const told = this.settles.filter(({ outcome, reply }) => outcome === 'complete' && isDone(reply));
    return new Set(told.map(({ id }) => id));
  }

  #add(id: string, answeredAt: number): void {
    this.added.set(id, [...(this.added.get(id) ?? []), this.#sentLast.get(id) ?? answeredAt]);
  }

  #take(line: LedgerLine): void {
    switch (line.kind) {
      case 'intent':
        this.intents.add(line.id);
        this.#sentLast.set(line.id, line.t);
        if (line.key !== undefined) this.keys.set(line.id, line.key);
        if (!this.sentAt.has(line.id)) this.sentAt.set(line.id, line.t);
        break;
      case 'acked':
        if (!this.acked.has(line.id)) this.acked.set(line.id, line.t);
        this.ackedLast.set(line.id, line.t);
        if (line.duplicate === false) this.#add(line.id, line.t);
        break;
      case 'uncertain':
        this.uncertain.add(line.id);
        break;
      case 'handout':
      case 'reclaimed':
        this.handouts.push(line);
        break;
      case 'start':
        this.starts.push(line);
        break;
      case 'effect':
        this.effects.push(line);
        break;
      case 'once':
        this.onces.push(line);
        break;
      case 'settle':
        this.settles.push(line);
        break;
      case 'fault':
        this.faults.push(line);
        break;
      case 'kill':
        this.kills.push(line);
        break;
      default:
    }
  }
}

/** Whether the settlement was carried out, by this call or by the one it repeats. */
export function isDone(reply: string): boolean {
  return reply === 'done' || reply === 'already';
}

export function groupBy<T>(list: readonly T[], keyOf: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const one of list) {
    const group = groups.get(keyOf(one));
    if (group) group.push(one);
    else groups.set(keyOf(one), [one]);
  }
  return groups;
}

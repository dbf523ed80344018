/** What all lines of the ledger have. */
interface Stamp {
  /** Milliseconds since 1970. */
  readonly t: number;
  readonly pid: number;
}

/** What the producer saw. `key` is the business key, which stays when a caller sends again under another id. */
export interface ProducerLine extends Stamp {
  readonly kind: 'intent' | 'acked' | 'uncertain' | 'refused';
  readonly id: string;
  readonly key?: string;
  readonly duplicate?: boolean;
  readonly entryId?: string | undefined;
  readonly error?: string;
}

/** An entry came to a worker (`handout`), or its sweep took it over (`reclaimed`). */
export interface HandoutLine extends Stamp {
  readonly kind: 'handout' | 'reclaimed' | 'lease-lost' | 'abandoned';
  readonly id: string;
  readonly entryId: string;
  readonly fence: string;
  readonly deliveries: number;
}

/** What the handler did. `once`: its effect was the first under a unique key. */
export interface HandlerLine extends Stamp {
  readonly kind: 'start' | 'effect' | 'once' | 'end' | 'aborted';
  readonly id: string;
  readonly key: string;
  readonly attempt: number;
  readonly deliveries: number;
  readonly entryId?: string | undefined;
  readonly fence?: string | undefined;
  /** Milliseconds of a clock that all processes of the machine share. */
  readonly mono?: number;
}

/** What a settlement came to. */
export interface SettleLine extends Stamp {
  readonly kind: 'settle';
  readonly id: string;
  readonly entryId: string;
  readonly fence: string;
  readonly outcome: string;
  readonly reply: string;
}

/** A worker is about to kill itself at a point of its code. */
export interface KillLine extends Stamp {
  readonly kind: 'kill';
  readonly id: string;
  readonly point: string;
}

/** What somebody did to the system. `until`: when it was over. */
export interface FaultLine extends Stamp {
  readonly kind: 'fault';
  readonly fault: string;
  /** The process it was done to, where it was done to one worker. */
  readonly victim?: number | undefined;
  readonly until?: number | undefined;
  /** What was answered in this time may be gone: a replica that took over did not have it. */
  readonly mayLose?: TimeSpan | undefined;
}

/** In milliseconds since 1970. */
export interface TimeSpan {
  readonly from: number;
  readonly until: number;
}

export type LedgerLine = ProducerLine | HandoutLine | HandlerLine | SettleLine | KillLine | FaultLine;

type Unstamped<T> = T extends unknown ? Omit<T, 'pid' | 't'> & { readonly t?: number } : never;

/** A line before the writer has stamped it. */
export type NewLine = Unstamped<LedgerLine>;

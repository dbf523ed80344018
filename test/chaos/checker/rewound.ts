import type { History } from './history.js';
import type { TimeSpan } from '../harness/ledger-lines.js';

/** What servers without the last answers of the old primary may have forgotten. Nothing else is forgiven. */
export class Rewound {
  readonly #spans: readonly TimeSpan[];

  constructor({ faults }: History) {
    this.#spans = faults.flatMap(({ mayLose }) => mayLose ?? []);
  }

  /** Whether what was answered at this time may be gone. */
  covers(t: number | undefined): boolean {
    return t !== undefined && this.#spans.some(({ from, until }) => t >= from && t <= until);
  }
}

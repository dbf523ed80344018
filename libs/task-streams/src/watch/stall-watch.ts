const TICK_MS = 500;
const STALL_MS = 1_000;

/** Notices that the event loop stood still, when it goes on again. */
export class StallWatch {
  readonly #timer: NodeJS.Timeout;

  /** @param onStall Is told how long it stood still, in milliseconds: a second or longer. */
  constructor(onStall: (stalledMs: number) => void) {
    let lastAt = performance.now();
    this.#timer = setInterval(() => {
      const now = performance.now();
      const stalledMs = Math.round(now - lastAt - TICK_MS);
      lastAt = now;
      if (stalledMs >= STALL_MS) onStall(stalledMs);
    }, TICK_MS);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}

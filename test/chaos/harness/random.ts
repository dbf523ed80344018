/** A generator of numbers that a seed decides about. */
export class SeededRandom {
  #state: number;

  /** @param name Tells streams of one seed apart, so that one scenario does not change the faults of another. */
  constructor(seed: number, name: string) {
    this.#state = hashText(`${seed}/${name}`);
  }

  /** From 0 up to, not including, 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** A whole number from `least` to `most`, both included. */
  between(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  pick<T>(list: readonly T[]): T {
    const chosen = list[Math.floor(this.next() * list.length)];
    if (chosen === undefined) throw new RangeError('There is nothing to pick from');
    return chosen;
  }

  /** A list made by drawing once for each place. Plans are drawn before a run, so that timing cannot change them. */
  times<T>(count: number, draw: (random: SeededRandom, index: number) => T): T[] {
    return Array.from({ length: count }, (_, index) => draw(this, index));
  }
}

/** FNV-1a over the UTF-16 code units: the same text gives the same number in every process. */
export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

/** Whether a name is among a share (0 to 1) of all names, by the seed: the same in every process. */
export function isChosen(name: string, share: number, seed: number): boolean {
  return new SeededRandom(seed, name).next() < share;
}

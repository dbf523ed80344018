import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import path from 'node:path';
import { hashText } from '../harness/random.js';

/** Where effects are recorded: a file for each key, outside the Redis under test. */
export class Effects {
  constructor(private readonly dir: string) {}

  /**
   * As a table with a unique index does it: of all who record a key exactly one is told that it was the first. The file
   * system keeps that over any kill. What is measured by it is the key: one that changes between two runs of a task
   * makes the effect twice.
   */
  recordUnique(key: string): boolean {
    try {
      closeSync(openSync(this.#file(key), 'wx'));
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
      throw error;
    }
  }

  /**
   * Look first, write later: as a table without a unique index. Two runs that both look before one of them writes make
   * the effect twice, so that only the lock of the library keeps them apart.
   */
  isRecorded(key: string): boolean {
    return existsSync(this.#file(key));
  }

  record(key: string): void {
    closeSync(openSync(this.#file(key), 'a'));
  }

  #file(key: string): string {
    const folder = path.join(this.dir, (hashText(key) & 0xff).toString(16));
    mkdirSync(folder, { recursive: true });
    return path.join(folder, encodeURIComponent(key));
  }
}

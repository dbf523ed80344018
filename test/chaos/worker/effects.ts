import { closeSync, mkdirSync, openSync } from 'node:fs';
import path from 'node:path';
import { hashText } from '../harness/random.js';

/**
 * A store with a unique key, as a table with a unique index would be: of all who record a key exactly one is told that it
 * was the first. The file system keeps that promise over any kill.
 */
export class UniqueEffects {
  constructor(private readonly dir: string) {}

  /** Whether this call recorded the key. */
  record(key: string): boolean {
    const folder = path.join(this.dir, (hashText(key) & 0xff).toString(16));
    mkdirSync(folder, { recursive: true });
    try {
      closeSync(openSync(path.join(folder, encodeURIComponent(key)), 'wx'));
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
      throw error;
    }
  }
}

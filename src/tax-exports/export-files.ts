import { Injectable } from '@nestjs/common';
import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { AppConfig } from '../config/app-config.js';

const KEPT_MS = 24 * 3_600_000;

/** The folder of finished reports. A report is in it whole, or not at all. */
@Injectable()
export class ExportFiles {
  readonly #folder: string;

  constructor(config: AppConfig) {
    this.#folder = path.resolve(config.DATA_DIR, 'tax-exports');
  }

  /**
   * Writes the report of a task and answers its name and size. It appears by one rename after its last byte is on the
   * disk, so a worker that is killed in between leaves no half report, only a part that the next attempt removes.
   */
  async write(
    taskId: string,
    content: Iterable<string>,
    signal: AbortSignal,
  ): Promise<{ file: string; bytes: number }> {
    // An id may come from a header of the request: it must not become a path.
    const stem = createHash('sha256').update(taskId).digest('hex').slice(0, 32);
    await this.#tidy(stem);
    const file = `${stem}.csv`;
    const part = this.#pathOf(`${stem}.${randomUUID()}.part`);
    try {
      const target = createWriteStream(part, { flush: true });
      await pipeline(Readable.from(content, { objectMode: false }), target, { signal });
      // Whoever lost the task must not put its file over that of the new owner.
      signal.throwIfAborted();
      await rename(part, this.#pathOf(file));
      return { file, bytes: target.bytesWritten };
    } catch (error) {
      await rm(part, { force: true });
      throw error;
    }
  }

  /** Opens a report for reading; `undefined` where it is gone. The caller closes it. */
  async open(file: string): Promise<FileHandle | undefined> {
    try {
      return await open(this.#pathOf(path.basename(file)));
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
      throw error;
    }
  }

  /** Removes what earlier attempts of this task left, and reports that nobody fetched for a day. */
  async #tidy(stem: string): Promise<void> {
    await mkdir(this.#folder, { recursive: true });
    for (const name of await readdir(this.#folder)) {
      const isLeftover = name.startsWith(`${stem}.`) && name.endsWith('.part');
      if (isLeftover || (await this.#isOld(name))) await rm(this.#pathOf(name), { force: true });
    }
  }

  async #isOld(name: string): Promise<boolean> {
    const stats = await stat(this.#pathOf(name)).catch(() => undefined);
    return stats !== undefined && Date.now() - stats.mtimeMs > KEPT_MS;
  }

  #pathOf(name: string): string {
    return path.join(this.#folder, name);
  }
}

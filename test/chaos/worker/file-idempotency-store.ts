import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { IdempotencyClaim, IdempotencyStore, KeyClaim } from 'nestjs-task-streams';

/** Done marks outside Redis, so that there is a moment between the mark and the settlement of the task. */
export class FileIdempotencyStore implements IdempotencyStore {
  readonly settlesWithTask = false;

  constructor(
    private readonly dir: string,
    private readonly onCommitted: (claim: IdempotencyClaim) => void,
  ) {
    mkdirSync(dir, { recursive: true });
  }

  async claim(claim: IdempotencyClaim): Promise<KeyClaim> {
    const file = this.#file(claim);
    if (!existsSync(file)) return { kind: 'won' };
    const text = readFileSync(file, 'utf8');
    return { kind: 'replay', resultJson: text === '' ? undefined : text };
  }

  async commit(claim: IdempotencyClaim, resultJson: string | undefined): Promise<void> {
    const file = this.#file(claim);
    writeFileSync(`${file}.${process.pid}`, resultJson ?? '');
    renameSync(`${file}.${process.pid}`, file);
    this.onCommitted(claim);
  }

  async release(): Promise<void> {}

  #file({ taskName, key }: IdempotencyClaim): string {
    return path.join(this.dir, encodeURIComponent(`${taskName}/${key}`));
  }
}

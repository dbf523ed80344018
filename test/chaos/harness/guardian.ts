import { spawn, type ChildProcess } from 'node:child_process';
import path from 'node:path';

/** Knows every process of a run, and sees to it that none outlives the run, however that ends. */
export class Guardian {
  readonly #child: ChildProcess;
  readonly #pids = new Set<number>();

  constructor(buildDir: string) {
    this.#child = spawn(process.execPath, [path.join(buildDir, 'test/chaos/harness/guardian-process.js')], {
      // A group of its own: Ctrl-C must not end it before the others.
      detached: true,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    this.#child.unref();
    this.#child.channel?.unref();
    this.#child.on('error', () => undefined);
  }

  watch(pid: number): void {
    this.#pids.add(pid);
    this.#tell({ add: pid });
  }

  /** The process has ended: its number may soon be another one's. */
  forget(pid: number): void {
    this.#pids.delete(pid);
    this.#tell({ remove: pid });
  }

  /** Processes that have not ended. */
  get watched(): readonly number[] {
    return [...this.#pids];
  }

  close(): void {
    if (this.#child.connected) this.#child.disconnect();
  }

  #tell(message: object): void {
    if (this.#child.connected) this.#child.send(message, () => undefined);
  }
}

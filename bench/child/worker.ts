import type { BenchProcess } from './bench-process.js';
import { cpuSecondsOf, until } from './clock.js';
import type { EndState, WorkerCommand, WorkerReport } from './plan.js';
import { load } from './produce.js';
import type { Session } from './side.js';

/** Between two looks at the backlog while other processes work on it. */
const WATCH_MS = 5;

/** One of several processes on one backlog: does what the parent says, one command at a time, until `end`. */
export async function serveParent(bench: BenchProcess, answer: (value: unknown) => Promise<void>): Promise<void> {
  const worker = new Worker(bench);
  let reply: unknown = 'warm';
  for (let command: WorkerCommand | undefined; command !== 'end';) {
    // Listened for before the answer goes, because the parent may be quick.
    const next = nextCommand();
    await answer(reply);
    command = await next;
    reply = await worker[command]();
  }
  await answer(reply);
}

function nextCommand(): Promise<WorkerCommand> {
  return new Promise((resolve) => process.once('message', resolve as (command: unknown) => void));
}

class Worker implements Record<WorkerCommand, () => unknown> {
  #session: Session | undefined;
  #nodeBefore = process.cpuUsage();
  #redisBefore = 0;

  constructor(private readonly bench: BenchProcess) {}

  async open(): Promise<void> {
    this.#session = await this.bench.open();
    globalThis.gc?.();
  }

  load(): Promise<void> {
    return load(this.#opened, this.bench.plan.taskCount, this.bench.plan.payloadBytes);
  }

  /** Remembers what Redis has used so far. */
  async mark(): Promise<void> {
    this.#redisBefore = await cpuSecondsOf(this.bench.redis);
  }

  start(): void {
    this.#nodeBefore = process.cpuUsage();
    this.#opened.start();
  }

  /** Answers when nothing is left, with the seconds of CPU that Redis has used since the mark. */
  async drained(): Promise<number> {
    await until('The end of the run', async () => (await this.bench.unfinished()) === 0, WATCH_MS);
    return (await cpuSecondsOf(this.bench.redis)) - this.#redisBefore;
  }

  stop(): WorkerReport {
    const { user, system } = process.cpuUsage(this.#nodeBefore);
    return { cpuMicros: user + system, endings: this.bench.ledger.endings };
  }

  inspect(): Promise<EndState> {
    return this.bench.endState();
  }

  async end(): Promise<void> {
    await this.#session?.close();
  }

  get #opened(): Session {
    if (this.#session === undefined) throw new Error('The parent has to say "open" first');
    return this.#session;
  }
}

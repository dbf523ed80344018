/** Who is measured. */
export type SideName =
  | 'task-streams'
  | 'task-streams-metrics'
  | 'task-streams-tracing'
  | 'bullmq'
  | 'nest-bullmq'
  | 'bee-queue'
  | 'raw-ioredis';

/** What is measured. `worker` is one of several processes on one backlog; the parent tells each what to do when. */
export type RunKind = 'produce' | 'process' | 'both' | 'latency' | 'memory-waiting' | 'memory-done' | 'worker';

/** How tasks are enqueued: one awaited after the other, 200 at once, or lists of 100. */
export type ProduceStyle = 'sequential' | 'concurrent' | 'bulk';

/** What a handler does: nothing, fail once for every tenth task, or take 100 ms. */
export type HandlerWork = 'nothing' | 'fail-some' | 'wait';

/** One run of one side, in a process of its own. */
export interface RunPlan {
  readonly side: SideName;
  readonly kind: RunKind;
  /** Where the private Redis listens, on the loopback interface. */
  readonly port: number;
  /** Tasks that are measured. */
  readonly taskCount: number;
  /** Tasks that run at once. */
  readonly concurrency: number;
  /** Bytes of a payload as JSON. */
  readonly payloadBytes: number;
  readonly style: ProduceStyle;
  readonly work: HandlerWork;
  /** Tasks that wait behind the measured ones. */
  readonly behindCount: number;
  /** Whether completed tasks stay on record, as each library does it when nobody says anything. */
  readonly isKeeping: boolean;
  /** The lease or lock of a running task in milliseconds; each library's own default where it is left out. */
  readonly leaseMs?: number;
}

/** What stands in Redis when a run is over. Everything but `completed` must be 0. */
export interface EndState {
  /** Tasks that wait, are delayed or failed. */
  readonly left: number;
  /** Tasks that are handed out and not settled. */
  readonly pending: number;
  /** Tasks on record as completed. */
  readonly completed: number;
}

/** What one run gives. Times are of the measured part only. */
export interface RunResult {
  readonly taskCount: number;
  readonly seconds?: number;
  /** CPU time of this process, microseconds a task. */
  readonly nodeMicros?: number;
  /** CPU time of Redis, microseconds a task. */
  readonly redisMicros?: number;
  /** Milliseconds from the call that enqueues to the start of the handler. */
  readonly latency?: { readonly p50: number; readonly p95: number; readonly p99: number };
  /** Growth of `used_memory`, bytes a task. */
  readonly bytesPerTask?: number;
  readonly endState: EndState;
  /** How often the handler ended well for each task, by order number. */
  readonly endings: Uint8Array;
}

/** What the parent says to a `worker`. One of them never starts: it makes the backlog and watches it. */
export type WorkerCommand = 'open' | 'load' | 'mark' | 'start' | 'drained' | 'stop' | 'inspect' | 'end';

/** CPU time and endings of one of several workers. */
export interface WorkerReport {
  readonly cpuMicros: number;
  readonly endings: Uint8Array;
}

/** What a child says: that it is there, what it measured, the answer to a command, or why it gave up. */
export type ChildMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'result'; readonly result: RunResult }
  | { readonly kind: 'answer'; readonly value: unknown }
  | { readonly kind: 'failed'; readonly message: string };

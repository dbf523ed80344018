import type { ProducerEvent } from './producer-observer.interface.js';
import type { WorkerEvent } from './worker-observer.interface.js';

/** Where to listen to the workers of this process. */
export interface WorkerEventSource {
  add(listener: (event: WorkerEvent) => void): void;
}

/** Where to listen to whatever sends tasks in this process. */
export interface ProducerEventSource {
  add(listener: (event: ProducerEvent) => void): void;
}

/** The {@link WorkerEventSource}. */
export const WORKER_EVENTS = Symbol.for('nestjs-task-streams:worker-events');
/** The {@link ProducerEventSource}, which is the observer of every client too. */
export const PRODUCER_EVENTS = Symbol.for('nestjs-task-streams:producer-events');

import type { DeadLetterStore } from './dead-letter-store.interface.js';
import type { InboxStore } from './inbox-store.interface.js';
import type { QueueStore } from './queue-store.interface.js';
import type { ServerStore } from './server-store.interface.js';
import type { TaskStore } from './task-store.interface.js';
import type { WorkStore } from './work-store.interface.js';

/** The place where tasks are kept: everything a worker and a producer need from it. */
export interface Broker {
  /** Who this process is, in consumer names and attempt histories. */
  readonly workerName: string;
  readonly inbox: InboxStore;
  readonly work: WorkStore;
  readonly tasks: TaskStore;
  readonly deadLetters: DeadLetterStore;
  readonly queues: QueueStore;
  readonly server: ServerStore;
}

import type { QueueDepth } from './queue-inspector.interface.js';
import type { BootReport, ServerReport } from './server-report.interface.js';

export interface BrokerInspector {
  depth(queue: string): Promise<QueueDepth>;
  /** Rejects where a write to the queue would be refused. Writes nothing. */
  checkWrites(queue: string): Promise<void>;
  server(): Promise<ServerReport>;
}

/** Opens, checks and closes the connections. */
export interface BrokerLifecycle {
  /** Who this process is, in consumer names and attempt histories. */
  readonly workerName: string;
  /**
   * Checks the server: its version, whether it may delete tasks, the rights of its user, the format of the queues.
   *
   * @param queues Those this process works on; without any it only enqueues.
   * @throws UnsuitableServerError where it cannot be used as it is; RedisUnavailableError where it does not answer.
   */
  check(queues?: readonly string[]): Promise<BootReport>;
  /** Removes this worker's consumer from a queue's group, if nothing is pending under it. */
  leave(queue: string): Promise<void>;
  /** Closes every connection. Can be called twice. */
  close(): Promise<void>;
}

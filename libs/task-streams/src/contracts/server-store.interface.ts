/** What kind of server this is. */
export interface ServerReport {
  readonly version: string;
  readonly kind: 'redis' | 'valkey';
  readonly persistence: 'none' | 'everysec' | 'always' | 'no-fsync' | 'unknown';
  readonly evictionPolicy: string;
  /** The `maxmemory` of the server: 0 for no limit, `undefined` where it does not say. */
  readonly maxMemoryBytes: number | undefined;
  /** Which of the commands that not every server has are there. */
  readonly capabilities: readonly ('waitaof' | 'acl|dryrun')[];
  /** Questions it does not answer this user, because it forbids them or has renamed the command: what depends on them is not known. */
  readonly unanswered: readonly ('INFO' | 'CONFIG GET' | 'COMMAND INFO')[];
}

/** The same, from the check at boot. */
export interface BootReport extends ServerReport {
  /** Where it is, without user and password. */
  readonly address: string;
  /** False where the server does not let this user ask what it may do. */
  readonly arePermissionsChecked: boolean;
  /** What works, but not as it should, with what to do; one sentence each. */
  readonly warnings: readonly string[];
}

/** The server, and the connections to it. */
export interface ServerStore {
  /** Rejects where a write to the queue would be refused. Writes nothing. */
  checkWrites(queue: string): Promise<void>;
  report(): Promise<ServerReport>;
  /**
   * Checks the server: its version, whether it may delete tasks, the rights of its user, the format of the queues.
   *
   * @param queues Those this process works on; without any it only enqueues.
   * @throws UnsuitableServerError where it cannot be used as it is; RedisUnavailableError where it does not answer.
   */
  check(queues?: readonly string[]): Promise<BootReport>;
  /** Closes every connection. Can be called twice. */
  close(): Promise<void>;
}

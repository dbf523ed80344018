import { cureOf, isMemoryFull } from '../../policy/redis-error.js';
import { reactionTo } from '../../policy/redis-reactions.js';
import {
  DurabilityNotConfirmedError,
  EnqueueUncertainError,
  QueueFullError,
  QueueUnavailableError,
} from '../../task/producer-errors.js';
import { RedisUnavailableError } from '../../task/redis-unavailable.error.js';
import { TaskStreamsError } from '../../task/task-streams.error.js';
import { withDeadline } from '../../time/with-deadline.js';
import { pause } from '../../time/pause.js';
import { ConfirmationLostError } from './confirmation-lost.js';
import type { RedisClient } from '../connection/redis-client.js';
import type { Route } from '../connection/route.js';
import { withoutSecrets } from '../connection/without-secrets.js';

const RETRY_PAUSE_MS = 50;
/** A try that is cut off by the deadline makes uncertain what was certain, so one with less time than this is not made. */
const LEAST_TRY_MS = 100;

/** Sends the same tasks until Redis takes them, refuses them, or the time is up; then says what is certain. */
export class AppendAttempts {
  private readonly begin = performance.now();
  private readonly deadline: number;
  private tries = 0;
  /** A try was sent and never answered: the tasks may be there. */
  private isUncertain = false;

  constructor(
    private readonly ids: readonly string[],
    private readonly route: Route,
    private readonly timeoutMs: number,
  ) {
    this.deadline = this.begin + timeoutMs;
  }

  /**
   * @param send One try, with a client that is ready. It calls `onSent` before the first byte of a task can reach Redis.
   * @throws QueueUnavailableError, QueueFullError, EnqueueUncertainError, and what a try throws of this library's own.
   */
  async run<T>(send: (client: RedisClient, onSent: () => void) => Promise<T>): Promise<T> {
    for (;;) {
      // Without a wait where none is needed: the first byte leaves in the turn of the caller.
      const client = this.ready() ?? (await this.open());
      let isSent = false;
      try {
        this.tries += 1;
        return await send(client, () => (isSent = true));
      } catch (error) {
        if (error instanceof RedisUnavailableError) throw this.closed(error);
        if (error instanceof TaskStreamsError) throw error;
        const reaction = reactionTo(withoutSecrets(error)).producer;
        this.isUncertain ||= isSent && reaction === 'uncertain';
        if (reaction === 'refuse' || !this.isTimeLeft) throw this.failure(error as Error);
        if (!(await this.route.follow(error))) await pause(RETRY_PAUSE_MS);
      }
    }
  }

  private ready(): RedisClient | undefined {
    try {
      return this.route.ready();
    } catch (error) {
      throw error instanceof RedisUnavailableError ? this.closed(error) : error;
    }
  }

  private async open(): Promise<RedisClient> {
    try {
      return await this.route.open(Math.max(this.leftMs(), 0));
    } catch (error) {
      if (error instanceof RedisUnavailableError) throw this.closed(error);
      throw error instanceof TaskStreamsError ? error : this.failure(withoutSecrets(error) as Error);
    }
  }

  /** Whether there is time for another try. */
  get isTimeLeft(): boolean {
    return this.leftMs() > RETRY_PAUSE_MS + LEAST_TRY_MS;
  }

  /** Rejects when the time is up, whatever becomes of the work. */
  inTime<T>(work: Promise<T>): Promise<T> {
    const late = (): Error => new Error(`no answer from ${this.route.address}`);
    return withDeadline(work, Math.max(this.leftMs(), 0), late);
  }

  /** The connections were closed meanwhile: nothing more is sent, and what is known about the tasks stays as it is. */
  private closed(cause: RedisUnavailableError): Error {
    const reason = 'this process is stopping and has closed its connections';
    if (this.isUncertain) return new EnqueueUncertainError(this.ids, reason, { cause });
    return new QueueUnavailableError(this.ids, reason, { cause, cure: 'Enqueue from a process that runs' });
  }

  private leftMs(): number {
    return this.deadline - performance.now();
  }

  private failure(cause: Error): Error {
    const cure = cureOf(cause);
    if (cause instanceof ConfirmationLostError) {
      return new DurabilityNotConfirmedError(this.ids, cause.wanted, cause.message, { cause });
    }
    if (this.isUncertain) return new EnqueueUncertainError(this.ids, this.reason(cause), { cause });
    if (isMemoryFull(cause)) return new QueueFullError(this.ids, { cause });
    return new QueueUnavailableError(this.ids, this.reason(cause), { cause, cure });
  }

  /** What was tried, for how long, and where. */
  private reason(cause: Error): string {
    const { address } = this.route;
    if (this.tries === 0) return cause.message;
    if (reactionTo(cause).producer === 'refuse') return `Redis at ${address} answered: ${cause.message}`;
    const tries = this.tries === 1 ? 'one try' : `${this.tries} tries`;
    const tookMs = Math.round(performance.now() - this.begin);
    return `${tries} in ${tookMs} of ${this.timeoutMs} ms at ${address}, the last one: ${cause.message}`;
  }
}

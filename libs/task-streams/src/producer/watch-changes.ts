import {
  concat,
  filter,
  from,
  interval,
  map,
  Observable,
  share,
  switchMap,
  take,
  takeUntil,
  takeWhile,
  type Subscriber,
} from 'rxjs';
import type { TaskChange, TaskChangeKind, TaskStore } from '../contracts/task-store.interface.js';
import { isFinalState } from '../task/task-state.js';

const POLL_MS = 200;
const TROUBLE_MS = 1_000;
const PAGE = 500;
/** A change can be lost: how often the task itself is looked at, in milliseconds. */
const LOOK_MS = 2_000;

const LAST: ReadonlySet<TaskChangeKind> = new Set<TaskChangeKind>(['completed', 'dead', 'cancelled', 'expired']);

/** Follows queues. All who follow one from now on share one look at it each 200 ms; while nobody does, nobody looks. */
export class ChangeFeed {
  private readonly shared = new Map<string, Observable<TaskChange>>();

  constructor(private readonly tasks: TaskStore) {}

  /** @param after Where to begin; `undefined` for now. */
  ofQueue(queue: string, after: string | undefined): Observable<TaskChange> {
    if (after !== undefined) return this.poll(queue, after);
    let changes = this.shared.get(queue);
    if (changes === undefined) this.shared.set(queue, (changes = this.poll(queue, undefined).pipe(share())));
    return changes;
  }

  /** Ends with the task. */
  ofTask(queue: string, taskId: string, after: string | undefined): Observable<TaskChange> {
    const changes = this.ofQueue(queue, after).pipe(
      filter((change) => change.taskId === taskId),
      takeWhile(({ kind }) => !LAST.has(kind), true),
    );
    return changes.pipe(takeUntil(this.ended(queue, taskId)));
  }

  /** Emits when a task is over, or not known, and its last change must have been read. */
  private ended(queue: string, taskId: string): Observable<unknown> {
    const looks = concat(from([0]), interval(LOOK_MS));
    return looks.pipe(
      switchMap(() => from(this.isOver(queue, taskId))),
      filter((isOver) => isOver),
      take(1),
      switchMap(() =>
        interval(2 * POLL_MS).pipe(
          take(1),
          map(() => true),
        ),
      ),
    );
  }

  private async isOver(queue: string, taskId: string): Promise<boolean> {
    try {
      const record = await this.tasks.get(queue, taskId);
      return record === undefined || isFinalState(record.state);
    } catch {
      return false;
    }
  }

  private poll(queue: string, after: string | undefined): Observable<TaskChange> {
    return new Observable((subscriber) => {
      const watch = new Watch(this.tasks, queue, after, subscriber);
      void watch.look();
      return () => watch.stop();
    });
  }
}

/** Looks again and again, until the process closes. Redis may be away meanwhile: it goes on where it was. */
class Watch {
  private timer: NodeJS.Timeout | undefined;
  private isStopped = false;

  constructor(
    private readonly log: TaskStore,
    private readonly queue: string,
    private cursor: string | undefined,
    private readonly subscriber: Subscriber<TaskChange>,
  ) {}

  async look(): Promise<void> {
    let delayMs = POLL_MS;
    try {
      this.cursor ??= await this.log.lastChange(this.queue);
      const changes = await this.log.readChanges(this.queue, this.cursor, PAGE);
      if (changes.length === PAGE) delayMs = 0;
      for (const change of changes) {
        this.cursor = change.cursor;
        this.subscriber.next(change);
      }
    } catch {
      if (this.log.isClosed) return this.subscriber.complete();
      delayMs = TROUBLE_MS;
    }
    if (!this.isStopped) this.timer = setTimeout(() => void this.look(), delayMs);
  }

  stop(): void {
    this.isStopped = true;
    clearTimeout(this.timer);
  }
}

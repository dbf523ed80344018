import type { TaskClient, TaskSnapshot } from 'nestjs-task-streams';
import { ProblemException } from '../problems/problem.js';
import { pathOfTask, type ShopQueue } from './shop-queues.js';

/** A task as the HTTP interface shows it. */
export interface TaskView {
  readonly id: string;
  readonly state: TaskSnapshot['state'];
  /** Attempts that ended in an error. */
  readonly failedAttempts: number;
  /** How often a worker took the task; more than one without a failed attempt means that a worker died. */
  readonly deliveryCount: number;
  readonly enqueuedAt: Date | undefined;
  readonly startedAt: Date | undefined;
  readonly finishedAt: Date | undefined;
  /** When a task that waits for its next attempt is run. */
  readonly nextAttemptAt: Date | undefined;
  readonly result: unknown;
  readonly error: TaskError | undefined;
  readonly links: { readonly self: string };
}

/** What is shown of an error: no stack, which would tell strangers about the inside of the shop. */
export interface TaskError {
  readonly name: string;
  readonly message: string;
  readonly details?: unknown;
}

export function toView(queue: ShopQueue, snapshot: TaskSnapshot): TaskView {
  return {
    id: snapshot.id,
    state: snapshot.state,
    failedAttempts: snapshot.failedAttempts,
    deliveryCount: snapshot.deliveryCount,
    enqueuedAt: snapshot.enqueuedAt,
    startedAt: snapshot.startedAt,
    finishedAt: snapshot.finishedAt,
    nextAttemptAt: snapshot.runAt,
    result: snapshot.result,
    error: snapshot.error && withoutStack(snapshot.error),
    links: { self: pathOfTask(queue, snapshot.ref) },
  };
}

export function withoutStack({ name, message, details }: TaskError): TaskError {
  return { name, message, ...(details === undefined ? {} : { details }) };
}

/** Finds a task of a queue, or answers 404. The ref of another queue's task is unknown here too. */
export async function findTask(tasks: TaskClient, queue: ShopQueue, ref: string): Promise<TaskSnapshot> {
  const snapshot = await tasks.get(ref);
  if (snapshot?.queue === queue) return snapshot;
  throw new ProblemException(
    404,
    `There is no task ${ref} in ${queue}: it was never accepted, or it ended so long ago that it is forgotten. ` +
      'Follow the Location of the request that started it.',
  );
}

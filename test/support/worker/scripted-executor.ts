import type { Delivery } from '../../../libs/task-streams/src/contracts/work-store.interface.js';
import type { RunningTask, TaskExecutor } from '../../../libs/task-streams/src/contracts/task-executor.interface.js';
import type { TaskOutcome } from '../../../libs/task-streams/src/task/task-outcome.js';
import { completion, retry } from '../broker/settlements.js';

export type Handler = (delivery: Delivery, signal: AbortSignal) => Promise<TaskOutcome | void>;

/** An executor whose handler is a plain function. Counts what runs at once. */
export class ScriptedExecutor implements TaskExecutor {
  readonly started: string[] = [];
  running = 0;
  mostAtOnce = 0;
  private readonly crowds = new Map<string, number>();
  timeoutMs: number | undefined;

  constructor(private readonly handler: Handler = async () => undefined) {}

  /** How many ran at once when these were started, at the most. */
  mostAtOnceOf(taskIds: readonly string[]): number {
    return Math.max(...taskIds.map((id) => this.crowds.get(id) ?? 0));
  }

  execute(delivery: Delivery): RunningTask {
    const controller = new AbortController();
    this.started.push(delivery.taskId);
    this.running += 1;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.running);
    this.crowds.set(delivery.taskId, this.running);
    return {
      adopt: () => undefined,
      abort: (reason) => controller.abort(reason),
      keyScope: undefined,
      timeoutMs: this.timeoutMs,
      outcome: this.run(delivery, controller.signal),
      timeOut: () => retry(60_000),
      refuseFollowUps: () => Promise.reject(new Error('it has no follow-ups')),
    };
  }

  private async run(delivery: Delivery, signal: AbortSignal): Promise<TaskOutcome> {
    try {
      return (await this.handler(delivery, signal)) ?? completion(JSON.stringify(delivery.taskId));
    } catch {
      return retry(10);
    } finally {
      this.running -= 1;
    }
  }
}

/** A handler that waits until the test lets it go on. */
export function gate(): { readonly handler: Handler; readonly open: () => void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { handler: () => opened, open };
}

import type { TaskChangeKind, TaskStore } from '../contracts/task-store.interface.js';
import type { ErrorDescription } from '../task/error-description.js';
import type { Fact, FactListener, FactName, WatchedEvent } from './fact.interface.js';
import { FACTS } from './facts.js';

/** Writes down what a worker tells, for those who follow its queue in another process. */
export class ChangePublisher implements FactListener {
  constructor(private readonly tasks: Pick<TaskStore, 'hasChanges' | 'publish'>) {}

  hears(name: FactName): boolean {
    return FACTS[name].change;
  }

  wants(_name: FactName, event: WatchedEvent): boolean {
    return 'delivery' in event && this.tasks.hasChanges(event.delivery.queue);
  }

  tell({ name: kind, fields }: Fact): void {
    if (!('taskId' in fields) || fields.taskId === '') return;
    const { queue, task: name, taskId, ...more } = fields;
    this.tasks.publish(queue, { kind: kind as TaskChangeKind, taskId, name, details: toDetails(more) });
  }
}

/** Without the entry, which is nobody's business, and without stacks: many may follow. */
function toDetails(fields: object): object {
  const {
    entryId: _entryId,
    error,
    ...more
  } = fields as { readonly entryId?: string; readonly error?: ErrorDescription };
  return error === undefined ? more : { ...more, error: { name: error.name, message: error.message } };
}

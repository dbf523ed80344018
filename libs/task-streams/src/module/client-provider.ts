import type { FactoryProvider, InjectionToken } from '@nestjs/common';
import { ACTION_LOG, type ActionLog } from '../operate/action-log.interface.js';
import type { Broker } from '../contracts/broker.interface.js';
import { PRODUCER_EVENTS } from '../watch/event-sources.interface.js';
import type { ProducerObserver } from '../watch/producer-observer.interface.js';
import { TASK_TRACING, type TaskTracing } from '../contracts/task-tracing.interface.js';
import { BROKER, RESOLVED_OPTIONS } from '../contracts/tokens.js';
import type { ResolvedOptions } from '../options/resolved-options.js';
import { TaskCatalog } from '../producer/task-catalog.js';
import { TaskClient } from '../producer/task-client.js';

/** The provider of a client. Without a queue it finds the queue by the task. */
export function clientProvider(provide: InjectionToken, queue?: string): FactoryProvider<TaskClient> {
  return {
    provide,
    inject: [BROKER, RESOLVED_OPTIONS, TaskCatalog, PRODUCER_EVENTS, TASK_TRACING, ACTION_LOG],
    useFactory: (
      broker: Broker,
      options: ResolvedOptions,
      catalog: TaskCatalog,
      ...[observer, tracing, actions]: [ProducerObserver, TaskTracing | undefined, ActionLog]
    ) => new TaskClient({ broker, options, catalog, queue, observer, tracing, actions }),
  };
}

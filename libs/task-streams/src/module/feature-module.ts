import { Module, type DynamicModule, type Provider } from '@nestjs/common';
import type { Broker } from '../contracts/broker.interface.js';
import { BROKER, RESOLVED_OPTIONS } from '../contracts/tokens.js';
import { DeadLetterService } from '../dead-letters/dead-letter.service.js';
import type { ResolvedOptions } from '../options/resolved-options.js';
import { TaskCatalog } from '../producer/task-catalog.js';
import { TaskClient } from '../producer/task-client.js';
import type { TaskContract } from '../task/task-contract.js';
import { DEFAULT_CLIENT, getTaskClientToken } from './task-client.tokens.js';

/**
 * A task and its queue: a contract, or the two names.
 *
 * @publicApi
 */
export type TaskDeclaration = Pick<TaskContract, 'name' | 'queue'>;

const DECLARED = Symbol('nestjs-task-streams:declared');

/** The class behind `TaskStreamsModule.forFeature`. */
@Module({})
class TaskStreamsFeatureModule {}

/** The module of `TaskStreamsModule.forFeature`. */
export function featureModule(tasks: readonly TaskDeclaration[]): DynamicModule {
  const clients = [...new Set(tasks.map(({ queue }) => queue))].map(clientOf);
  const providers: Provider[] = [
    { provide: TaskClient, useExisting: DEFAULT_CLIENT },
    DeadLetterService,
    ...clients,
    {
      provide: DECLARED,
      inject: [TaskCatalog],
      useFactory: (catalog: TaskCatalog) => {
        for (const { name, queue } of tasks) catalog.declare(name, queue);
        return tasks;
      },
    },
  ];
  return {
    module: TaskStreamsFeatureModule,
    providers,
    exports: [TaskClient, DeadLetterService, ...clients.map(({ provide }) => provide)],
  };
}

function clientOf(queue: string): Extract<Provider, { provide: unknown; useFactory: unknown }> {
  return {
    provide: getTaskClientToken(queue),
    inject: [BROKER, RESOLVED_OPTIONS, TaskCatalog],
    useFactory: (broker: Broker, options: ResolvedOptions, catalog: TaskCatalog) =>
      new TaskClient({ broker, options, catalog, queue }),
  };
}

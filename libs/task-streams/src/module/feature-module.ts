import { Module, type DynamicModule, type Provider } from '@nestjs/common';
import { AuditTrail } from '../operate/audit-trail.js';
import { DeadLetterService } from '../dead-letters/dead-letter.service.js';
import { TaskCatalog } from '../producer/task-catalog.js';
import { TaskClient } from '../producer/task-client.js';
import type { TaskContract } from '../task/task-contract.js';
import { clientProvider } from './client-provider.js';
import { DEFAULT_CLIENT, getTaskClientToken } from './task-client.tokens.js';

/**
 * A task and its queue: a contract, or the two names.
 *
 * @publicApi
 */
export type TaskDeclaration = Pick<TaskContract, 'name' | 'queue'> & Partial<Pick<TaskContract, 'payload'>>;

const DECLARED = Symbol('nestjs-task-streams:declared');

/** The class behind `TaskStreamsModule.forFeature`. */
@Module({})
class TaskStreamsFeatureModule {}

/** The module of `TaskStreamsModule.forFeature`. */
export function featureModule(tasks: readonly TaskDeclaration[]): DynamicModule {
  const queues = [...new Set(tasks.map(({ queue }) => queue))];
  const clients = queues.map((queue) => clientProvider(getTaskClientToken(queue), queue));
  const providers: Provider[] = [
    { provide: TaskClient, useExisting: DEFAULT_CLIENT },
    DeadLetterService,
    AuditTrail,
    ...clients,
    {
      provide: DECLARED,
      inject: [TaskCatalog],
      useFactory: (catalog: TaskCatalog) => {
        for (const { name, queue, payload } of tasks) catalog.declare(name, queue, payload);
        return tasks;
      },
    },
  ];
  return {
    module: TaskStreamsFeatureModule,
    providers,
    exports: [TaskClient, DeadLetterService, AuditTrail, ...clients.map(({ provide }) => provide)],
  };
}

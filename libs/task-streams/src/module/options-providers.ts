import type { FactoryProvider, Provider } from '@nestjs/common';
import { RESOLVED_OPTIONS } from '../contracts/tokens.js';
import { resolveOptions } from '../options/resolve-options.js';
import type { ResolvedOptions } from '../options/resolved-options.js';
import type { TaskStreamsOptions } from '../options/task-streams-options.js';
import { UsageError } from '../task/config-errors.js';
import type { TaskStreamsAsyncOptions, TaskStreamsOptionsFactory } from './module-options.js';

/**
 * The providers of the resolved options of `forRootAsync`.
 *
 * @throws UsageError where there is nothing to make them with.
 */
export function optionsProviders(options: TaskStreamsAsyncOptions): Provider[] {
  const { useFactory, useClass, useExisting } = options;
  if (useFactory) {
    const make = useFactory as (...dependencies: unknown[]) => TaskStreamsOptions | Promise<TaskStreamsOptions>;
    return [
      resolved([...(options.inject ?? [])], async (...dependencies) => resolveOptions(await make(...dependencies))),
    ];
  }
  const token = useClass ?? useExisting;
  if (token === undefined) {
    throw new UsageError('TaskStreamsModule.forRootAsync needs useFactory, useClass or useExisting.');
  }
  const provider = resolved([token], async (factory) =>
    resolveOptions(await (factory as TaskStreamsOptionsFactory).createTaskStreamsOptions()),
  );
  return useClass ? [useClass, provider] : [provider];
}

function resolved(
  inject: NonNullable<FactoryProvider['inject']>,
  useFactory: (...dependencies: unknown[]) => Promise<ResolvedOptions>,
): Provider {
  return { provide: RESOLVED_OPTIONS, inject, useFactory };
}

import type { InjectionToken, ModuleMetadata, OptionalFactoryDependency, Provider, Type } from '@nestjs/common';
import type { TaskStreamsOptions } from '../options/task-streams-options.js';

/**
 * What can be said to Nest beside the options of the library.
 *
 * @publicApi
 */
export interface TaskStreamsModuleExtras {
  /** Every module can inject `TaskClient` and `DeadLetterService`. With false: those that import `forFeature`. Default true. */
  readonly isGlobal?: boolean;
  /** Modules that `providers`, or the factory of the options, depend on. */
  readonly imports?: NonNullable<ModuleMetadata['imports']>;
  /**
   * Your own in place of a part of the library: bind it to `IDEMPOTENCY_STORE`, `DEAD_LETTER_SINK`, `ERROR_CLASSIFIER`,
   * `TASK_ERROR_REPORTER`, `TASK_TRACING` or `RANDOM`.
   *
   * @example
   * providers: [{ provide: IDEMPOTENCY_STORE, useClass: SqlIdempotencyStore }]
   */
  readonly providers?: readonly Provider[];
}

/**
 * Makes the options, for `useClass` and `useExisting`.
 *
 * @publicApi
 */
export interface TaskStreamsOptionsFactory {
  createTaskStreamsOptions(): TaskStreamsOptions | Promise<TaskStreamsOptions>;
}

/**
 * Options of `TaskStreamsModule.forRootAsync`. Give one of `useFactory`, `useClass` and `useExisting`.
 *
 * @publicApi
 */
export interface TaskStreamsAsyncOptions extends TaskStreamsModuleExtras {
  /** Answers the options. */
  // The arguments are what `inject` says, which no type can follow.
  readonly useFactory?: (...dependencies: never[]) => TaskStreamsOptions | Promise<TaskStreamsOptions>;
  /** What `useFactory` is called with. */
  readonly inject?: readonly (InjectionToken | OptionalFactoryDependency)[];
  /** A class that makes the options; Nest makes an instance of it. */
  readonly useClass?: Type<TaskStreamsOptionsFactory>;
  /** The token of a provider that makes the options. */
  readonly useExisting?: InjectionToken<TaskStreamsOptionsFactory>;
}

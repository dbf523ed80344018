import { Injectable } from '@nestjs/common';
import {
  TaskHandler,
  type TaskContext,
  type TaskHandlerOptions,
  type TaskStreamsModuleExtras,
  type TaskStreamsOptions,
} from '../../../libs/task-streams/src/index.js';
import { startTaskApp, useWholePipeline, type TaskApp } from './task-app.js';

/** The two ways a task can go through Nest, which must behave the same. */
export const PIPELINES = [
  ['the short pipeline', {}],
  ['the whole pipeline', { configure: useWholePipeline }],
] as const;

export interface OneHandlerInput {
  readonly pipeline: (typeof PIPELINES)[number][1];
  readonly run: (payload: unknown, context: TaskContext) => unknown;
  readonly handler?: TaskHandlerOptions;
  readonly options?: TaskStreamsOptions;
  readonly extras?: TaskStreamsModuleExtras;
}

/** An application with one handler, of the task `work`. */
export function startOneHandler({ pipeline, run, handler = {}, options, extras }: OneHandlerInput): Promise<TaskApp> {
  @Injectable()
  class Handlers {
    @TaskHandler('work', handler)
    run(payload: unknown, context: TaskContext): unknown {
      return run(payload, context);
    }
  }
  return startTaskApp({
    providers: [Handlers],
    ...(options ? { options } : {}),
    ...(extras ? { extras } : {}),
    ...pipeline,
  });
}

import { Module, type DynamicModule } from '@nestjs/common';
import { metricsController } from './metrics.controller.js';
import { resolvePrometheusOptions, type TaskStreamsPrometheusOptions } from './prometheus-options.js';
import { PROMETHEUS_OPTIONS, TaskStreamsMetrics } from './task-streams.metrics.js';

/**
 * Counts what tasks do and shows it to Prometheus, at `/metrics` unless told otherwise. Beside `TaskStreamsModule.forRoot`,
 * in the root module.
 *
 * @example
 * imports: [TaskStreamsModule.forRoot({ … }), TaskStreamsPrometheusModule.register()]
 *
 * @publicApi
 */
@Module({})
export class TaskStreamsPrometheusModule {
  /** @throws InvalidOptionError for a value that cannot work or a name that is not known. */
  static register(options: TaskStreamsPrometheusOptions = {}): DynamicModule {
    const resolved = resolvePrometheusOptions(options);
    const { path, registry } = resolved;
    return {
      module: TaskStreamsPrometheusModule,
      controllers: path === false ? [] : [metricsController(path, registry.contentType)],
      providers: [{ provide: PROMETHEUS_OPTIONS, useValue: resolved }, TaskStreamsMetrics],
      exports: [TaskStreamsMetrics],
    };
  }
}

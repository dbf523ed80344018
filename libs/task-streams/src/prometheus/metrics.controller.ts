import { Controller, Get, Header, Inject, VERSION_NEUTRAL, type Type } from '@nestjs/common';
import { TaskStreamsMetrics } from './task-streams.metrics.js';

/** A controller that serves the metrics at a path. */
export function metricsController(path: string, contentType: string): Type {
  @Controller({ path, version: VERSION_NEUTRAL })
  class TaskStreamsMetricsController {
    constructor(@Inject(TaskStreamsMetrics) private readonly metrics: TaskStreamsMetrics) {}

    @Get()
    @Header('Content-Type', contentType)
    @Header('Cache-Control', 'no-store')
    read(): Promise<string> {
      return this.metrics.read();
    }
  }
  return TaskStreamsMetricsController;
}

import { Controller, Get, Header, Inject, Res, VERSION_NEUTRAL, type Type } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { TaskStreamsMetrics } from './task-streams.metrics.js';

/** A controller that serves the metrics at a path. */
export function metricsController(path: string, contentType: string): Type {
  @Controller({ path, version: VERSION_NEUTRAL })
  class TaskStreamsMetricsController {
    constructor(
      @Inject(TaskStreamsMetrics) private readonly metrics: TaskStreamsMetrics,
      @Inject(HttpAdapterHost) private readonly host: HttpAdapterHost,
    ) {}

    /** Writes the answer itself: an interceptor of the whole application that wraps answers would make it unreadable. */
    @Get()
    @Header('Content-Type', contentType)
    @Header('Cache-Control', 'no-store')
    async read(@Res() response: unknown): Promise<void> {
      this.host.httpAdapter.reply(response, await this.metrics.read(), 200);
    }
  }
  return TaskStreamsMetricsController;
}

import { context, propagation } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { ExportResultCode, W3CTraceContextPropagator } from '@opentelemetry/core';
import { BasicTracerProvider, BatchSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base';
import { openTelemetry } from 'nestjs-task-streams/otel';
import type { Side } from '../side.js';
import { openTaskStreams, taskStreams } from './task-streams.js';

/** Takes spans and forgets them: what is measured is making them, not a network. */
const NOWHERE: SpanExporter = {
  export: (_spans, done) => done({ code: ExportResultCode.SUCCESS }),
  shutdown: async () => {},
};

/** This library with a span for each send, attempt and settlement, all of them recorded. */
export const taskStreamsTracing: Side = {
  ...taskStreams,
  open: async (options) => {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    propagation.setGlobalPropagator(new W3CTraceContextPropagator());
    const tracerProvider = new BasicTracerProvider({ spanProcessors: [new BatchSpanProcessor(NOWHERE)] });
    const { session } = await openTaskStreams(options, {
      providers: openTelemetry({ tracerProvider, metrics: false }),
    });
    return {
      ...session,
      close: async () => {
        await session.close();
        await tracerProvider.shutdown();
      },
    };
  },
};

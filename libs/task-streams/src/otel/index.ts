export { createTaskTracing, openTelemetry } from './open-telemetry.js';
export type { TaskStreamsOtelOptions } from './otel-options.js';

export type { TaskStreamsPrometheusOptions } from './prometheus-options.js';
export { TaskStreamsMetrics } from './task-streams.metrics.js';
export { TaskStreamsPrometheusModule } from './task-streams-prometheus.module.js';

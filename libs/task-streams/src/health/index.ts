export type { ReadinessThresholds } from './readiness-options.js';
export { TaskStreamsHealthIndicator } from './task-streams.health.js';
export { TaskStreamsHealthModule } from './task-streams-health.module.js';

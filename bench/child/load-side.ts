import type { SideName } from './plan.js';
import type { Side } from './side.js';

/** Loads one side only, so that no process pays for the libraries of the others. */
export async function loadSide(name: SideName): Promise<Side> {
  switch (name) {
    case 'task-streams':
      return (await import('./sides/task-streams.js')).taskStreams;
    case 'task-streams-metrics':
      return (await import('./sides/task-streams-metrics.js')).taskStreamsMetrics;
    case 'task-streams-tracing':
      return (await import('./sides/task-streams-tracing.js')).taskStreamsTracing;
    case 'bullmq':
      return (await import('./sides/bullmq.js')).bullmq;
    case 'nest-bullmq':
      return (await import('./sides/nest-bullmq.js')).nestBullmq;
    case 'bee-queue':
      return (await import('./sides/bee-queue.js')).beeQueue;
    case 'raw-ioredis':
      return (await import('./sides/raw-ioredis.js')).rawIoredis;
  }
}

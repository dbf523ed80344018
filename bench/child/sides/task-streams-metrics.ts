import { TaskStreamsMetrics, TaskStreamsPrometheusModule } from 'nestjs-task-streams/prometheus';
import type { Side } from '../side.js';
import { openTaskStreams, taskStreams } from './task-streams.js';

const SCRAPE_MS = 1_000;

/** This library with metrics for Prometheus, which are read each second: more often than anybody does. */
export const taskStreamsMetrics: Side = {
  ...taskStreams,
  open: async (options) => {
    const { app, session } = await openTaskStreams(options, {
      imports: [TaskStreamsPrometheusModule.register({ path: false })],
    });
    const metrics = app.get(TaskStreamsMetrics);
    const timer = setInterval(() => void metrics.read(), SCRAPE_MS);
    return {
      ...session,
      close: async () => {
        clearInterval(timer);
        await session.close();
      },
    };
  },
};

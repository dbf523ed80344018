import { Module } from '@nestjs/common';
import { TaskStreamsPrometheusModule } from 'nestjs-task-streams/prometheus';
import { SHOP_QUEUES } from '../tasks/shop-queues.js';

/** `/metrics` for Prometheus, in the web process and in every worker that listens on a port. */
@Module({ imports: [TaskStreamsPrometheusModule.register({ queues: SHOP_QUEUES })] })
export class MetricsModule {}

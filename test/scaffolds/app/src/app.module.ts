import { Module } from '@nestjs/common';
import { TaskStreamsModule } from 'nestjs-task-streams';
import { TaskStreamsHealthModule } from 'nestjs-task-streams/health';
import { openTelemetry } from 'nestjs-task-streams/otel';
import { TaskStreamsPrometheusModule } from 'nestjs-task-streams/prometheus';
import { SharedTasks } from 'scaffold-shared';
import { HealthController } from './health.controller.js';
import { MailTasks, Postman } from './mail.tasks.js';

@Module({
  imports: [
    TaskStreamsModule.forRoot(
      {
        connection: { url: process.env['REDIS_URL'] ?? 'redis://localhost:6379' },
        prefix: process.env['TASKS_PREFIX'] ?? 'scaffold',
      },
      { providers: openTelemetry() },
    ),
    TaskStreamsHealthModule,
    TaskStreamsPrometheusModule.register(),
  ],
  controllers: [HealthController],
  providers: [MailTasks, Postman, SharedTasks],
})
export class AppModule {}

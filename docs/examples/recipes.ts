import { Body, Controller, Get, Injectable, Module, Post } from '@nestjs/common';
import { ConfigModule, ConfigService } from '@nestjs/config';
import { HealthCheck, HealthCheckService, TerminusModule, type HealthCheckResult } from '@nestjs/terminus';
import { defineTask, InjectTaskClient, TaskClient, TaskStreamsModule } from 'nestjs-task-streams';
import { openTaskStreams } from 'nestjs-task-streams/admin';
import { TaskStreamsHealthIndicator, TaskStreamsHealthModule } from 'nestjs-task-streams/health';

@Module({
  imports: [
    ConfigModule.forRoot(),
    TaskStreamsModule.forRootAsync({
      imports: [ConfigModule],
      inject: [ConfigService],
      useFactory: (config: ConfigService) => ({
        connection: { url: config.getOrThrow<string>('REDIS_URL') },
        mode: config.get('ROLE') === 'web' ? 'producer' : 'both',
      }),
    }),
  ],
})
export class ConfiguredModule {}

export const bySlots = TaskStreamsModule.forRoot({
  // In each process: 10 tasks of every other queue at once, 50 mails, and one report.
  concurrency: 10,
  queues: { mail: { concurrency: 50 }, reports: { concurrency: 1 } },
});

@Controller('health')
export class HealthController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly tasks: TaskStreamsHealthIndicator,
  ) {}

  /** 503 when a restart of this process would help. It never asks Redis. */
  @Get('live')
  @HealthCheck()
  live(): Promise<HealthCheckResult> {
    return this.health.check([() => this.tasks.isLive('tasks')]);
  }

  /** 503 when this process cannot do its part now. */
  @Get('ready')
  @HealthCheck()
  ready(): Promise<HealthCheckResult> {
    return this.health.check([() => this.tasks.isReady('tasks')]);
  }
}

@Module({ imports: [TerminusModule, TaskStreamsHealthModule], controllers: [HealthController] })
export class HealthModule {}

export const sendMail = defineTask<{ to: string }>('mail.send', { queue: 'mail' });

@Controller('mails')
export class MailController {
  // All that it sends goes to the queue "mail", under any name.
  constructor(@InjectTaskClient('mail') private readonly mail: TaskClient) {}

  @Post()
  async send(@Body() { to }: { to: string }): Promise<string> {
    return (await this.mail.enqueue(sendMail, { to })).ref;
  }
}

@Module({ imports: [TaskStreamsModule.forFeature([sendMail])], controllers: [MailController] })
export class MailModule {}

@Injectable()
export class NightlyReport {
  constructor(private readonly tasks: TaskClient) {}

  /** Called by the cron of each of your processes: the id makes them one task. */
  async start(night: string): Promise<void> {
    await this.tasks.enqueue('reports.nightly', { night }, { id: `nightly-${night}`, queue: 'reports' });
  }
}

export async function sendToAnotherRedis(url: string): Promise<void> {
  const other = openTaskStreams({ connection: { url } });
  await other.tasks.enqueue('mail.send', { to: 'ann@example.com' }, { queue: 'mail' });
  await other.close();
}

export const withTls = TaskStreamsModule.forRoot({
  connection: {
    url: 'rediss://worker@redis.internal:6380',
    options: { password: process.env['REDIS_PASSWORD'], tls: { ca: process.env['REDIS_CA'] } },
  },
});

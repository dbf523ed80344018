import { Controller, Get } from '@nestjs/common';
import { HealthCheckService } from '@nestjs/terminus';
import type { HealthCheckResult } from '@nestjs/terminus';
import { TaskStreamsHealthIndicator } from 'nestjs-task-streams/health';

@Controller('health')
export class HealthController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly tasks: TaskStreamsHealthIndicator,
  ) {}

  @Get()
  ready(): Promise<HealthCheckResult> {
    return this.health.check([() => this.tasks.isReady('tasks')]);
  }
}

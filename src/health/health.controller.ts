import { Controller, Get, UseFilters } from '@nestjs/common';
import { HealthCheck, HealthCheckService, type HealthCheckResult } from '@nestjs/terminus';
import { TaskStreamsHealthIndicator } from 'nestjs-task-streams/health';
import { SHOP_QUEUES } from '../tasks/shop-queues.js';
import { HealthFailureFilter } from './health-failure.filter.js';

/** What the shop calls too much. */
const QUEUE_LIMITS = { maxOldestWaitingMs: 60_000, maxWaiting: 1_000, maxDead: 10, minConsumers: 1 } as const;

/** For whoever runs the shop. */
@Controller('health')
@UseFilters(HealthFailureFilter)
export class HealthController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly tasks: TaskStreamsHealthIndicator,
  ) {}

  /** 503 when restarting this process would help. Redis being away is no such thing. */
  @Get('live')
  @HealthCheck()
  live(): Promise<HealthCheckResult> {
    return this.health.check([() => this.tasks.isLive('tasks')]);
  }

  /**
   * 503 when this process cannot do its part just now. How full the queues are is shown but not judged: a web process
   * that is taken out because tasks wait would accept no more of them.
   */
  @Get('ready')
  @HealthCheck()
  ready(): Promise<HealthCheckResult> {
    return this.health.check([() => this.tasks.isReady('tasks', { queues: SHOP_QUEUES })]);
  }

  /** 503 when somebody should look at the queues: for a monitor that calls people, not for a load balancer. */
  @Get('queues')
  @HealthCheck()
  queues(): Promise<HealthCheckResult> {
    return this.health.check([() => this.tasks.isReady('tasks', { queues: SHOP_QUEUES, ...QUEUE_LIMITS })]);
  }
}

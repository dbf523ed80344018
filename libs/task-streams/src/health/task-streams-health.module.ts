import { Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { TaskStreamsHealthIndicator } from './task-streams.health.js';

/**
 * Offers the {@link TaskStreamsHealthIndicator}, and terminus with it. Or list the indicator among the providers of your
 * own health module, beside an imported `TerminusModule`.
 *
 * @publicApi
 */
@Module({
  imports: [TerminusModule],
  providers: [TaskStreamsHealthIndicator],
  exports: [TaskStreamsHealthIndicator, TerminusModule],
})
export class TaskStreamsHealthModule {}

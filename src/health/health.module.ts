import { Module } from '@nestjs/common';
import { TaskStreamsHealthModule } from 'nestjs-task-streams/health';
import { HealthController } from './health.controller.js';

@Module({ imports: [TaskStreamsHealthModule], controllers: [HealthController] })
export class HealthModule {}

import { Body, Controller, Get, Param, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { TaskClient } from 'nestjs-task-streams';
import { validBody } from '../problems/valid-body.pipe.js';
import { accepted, type Accepted } from '../tasks/accepted.js';
import { findTask, toView, type TaskView } from '../tasks/task-view.js';
import { SendNotification, sendNotification } from './send-notification.task.js';

/** Notifications go out through a partner whose interface fails now and then. */
@Controller('notifications')
export class NotificationsController {
  constructor(private readonly tasks: TaskClient) {}

  @Post()
  async accept(
    @Body(validBody) notification: SendNotification,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Accepted> {
    return accepted(response, 'notifications', await this.tasks.enqueue(sendNotification, notification));
  }

  /**
   * Sends a notification that no attempt can deliver. By its name, as a program that does not share the contract would:
   * the payload is not checked until a worker takes it, and it becomes a dead letter at once.
   */
  @Post('poison')
  async poison(@Res({ passthrough: true }) response: Response): Promise<Accepted> {
    const { name, queue } = sendNotification;
    const payload = { to: 'ana@nowhere', message: '' };
    return accepted(response, 'notifications', await this.tasks.enqueue(name, payload, { queue }));
  }

  @Get(':ref')
  async show(@Param('ref') ref: string): Promise<TaskView> {
    return toView('notifications', await findTask(this.tasks, 'notifications', ref));
  }
}

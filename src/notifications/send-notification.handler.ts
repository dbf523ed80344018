import { Injectable } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { TaskContext, TaskHandler } from 'nestjs-task-streams';
import { PartnerClient } from '../partner/partner.client.js';
import { SendNotification, sendNotification, type SentNotification } from './send-notification.task.js';

/**
 * Waits of at most 2, 4, 8, 15, 15, 15, 15 seconds, each between half of that and the whole, so that the notifications
 * that failed together do not all come back at once to a partner that has just got up.
 */
const RETRY = { attempts: 8, backoff: { type: 'exponential', delayMs: 2000, maxDelayMs: 15_000 } } as const;

/** Hands notifications to the partner, which may be out of order. */
@Injectable()
export class SendNotificationHandler {
  constructor(private readonly partner: PartnerClient) {}

  @TaskHandler(sendNotification, { retry: RETRY })
  async run(@Payload() notification: SendNotification, @Ctx() context: TaskContext): Promise<SentNotification> {
    await this.partner.send(notification, context.idempotencyKey, context.signal);
    return { to: notification.to, attempt: context.attempt };
  }
}

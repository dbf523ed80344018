import { Module } from '@nestjs/common';
import { PartnerWorkerModule } from '../partner/partner.module.js';
import { NotificationsController } from './notifications.controller.js';
import { SendNotificationHandler } from './send-notification.handler.js';

/** What the web process needs of the notifications. */
@Module({ controllers: [NotificationsController] })
export class NotificationsWebModule {}

/** What a worker needs of them. */
@Module({ imports: [PartnerWorkerModule], providers: [SendNotificationHandler] })
export class NotificationsWorkerModule {}

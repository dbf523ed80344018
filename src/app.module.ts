import { Module } from '@nestjs/common';
import { ConditionalModule } from '@nestjs/config';
import { AppConfigModule } from './config/app-config.module.js';
import { DeadLettersModule } from './dead-letters/dead-letters.module.js';
import { HealthModule } from './health/health.module.js';
import { MetricsModule } from './metrics/metrics.module.js';
import { NotificationsWebModule, NotificationsWorkerModule } from './notifications/notifications.module.js';
import { PartnerWebModule } from './partner/partner.module.js';
import { PaymentsWebModule, PaymentsWorkerModule } from './payments/payments.module.js';
import { StoreModule } from './store/store.module.js';
import { ShopTasksModule } from './tasks/shop-tasks.module.js';
import { TaxExportsWebModule, TaxExportsWorkerModule } from './tax-exports/tax-exports.module.js';

/** The HTTP interface of the shop. It enqueues. */
@Module({
  imports: [TaxExportsWebModule, PaymentsWebModule, NotificationsWebModule, PartnerWebModule, DeadLettersModule],
})
class WebModule {}

/** The handlers of the tasks. */
@Module({ imports: [TaxExportsWorkerModule, PaymentsWorkerModule, NotificationsWorkerModule] })
class WorkerModule {}

@Module({
  imports: [
    AppConfigModule,
    StoreModule,
    ShopTasksModule,
    HealthModule,
    MetricsModule,
    ConditionalModule.registerWhen(WebModule, ({ TASKS_ROLE }) => TASKS_ROLE !== 'worker', { debug: false }),
    ConditionalModule.registerWhen(WorkerModule, ({ TASKS_ROLE }) => TASKS_ROLE !== 'web', { debug: false }),
  ],
})
export class AppModule {}

import { Module } from '@nestjs/common';
import { FakePartnerServer } from './fake-partner.server.js';
import { PartnerClient } from './partner.client.js';
import { PartnerController } from './partner.controller.js';
import { PartnerStateStore } from './partner-state.store.js';

/** The switch, in the web process. */
@Module({ controllers: [PartnerController], providers: [PartnerStateStore] })
export class PartnerWebModule {}

/** The partner itself and the way to it, in each worker. */
@Module({ providers: [PartnerStateStore, FakePartnerServer, PartnerClient], exports: [PartnerClient] })
export class PartnerWorkerModule {}

import { Module } from '@nestjs/common';
import { DebitAccountHandler } from './debit-account.handler.js';
import { LedgerStore } from './ledger.store.js';
import { PaymentsController } from './payments.controller.js';

/** What the web process needs of the payments. */
@Module({ controllers: [PaymentsController], providers: [LedgerStore] })
export class PaymentsWebModule {}

/** What a worker needs of them. */
@Module({ providers: [LedgerStore, DebitAccountHandler] })
export class PaymentsWorkerModule {}

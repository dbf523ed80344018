import { Body, Controller, Get, Param, Post, Put, Res } from '@nestjs/common';
import type { Response } from 'express';
import { TaskClient } from 'nestjs-task-streams';
import { ProblemException } from '../problems/problem.js';
import { validBody } from '../problems/valid-body.pipe.js';
import { accepted, type Accepted } from '../tasks/accepted.js';
import { findTask, toView, type TaskView } from '../tasks/task-view.js';
import { ACCOUNT_ID, OpenAccount, type Account } from './account.js';
import { DebitAccount, debitAccount } from './debit-account.task.js';
import { LedgerStore } from './ledger.store.js';

/** Debits are asked for here and taken by a worker; accounts are opened and looked at here. */
@Controller('payments')
export class PaymentsController {
  constructor(
    private readonly tasks: TaskClient,
    private readonly ledger: LedgerStore,
  ) {}

  /** Every request is a task of its own, also for a transaction that is known: its idempotency key sorts them out. */
  @Post('debits')
  async accept(
    @Body(validBody) debit: DebitAccount,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Accepted> {
    return accepted(response, 'payments', await this.tasks.enqueue(debitAccount, debit, { durability: 'fsync' }));
  }

  @Get('debits/:ref')
  async show(@Param('ref') ref: string): Promise<TaskView> {
    return toView('payments', await findTask(this.tasks, 'payments', ref));
  }

  /** Opens an account with a balance; an account that is open stays as it is. */
  @Put('accounts/:id')
  async open(@Param('id') id: string, @Body(validBody) { balanceCents }: OpenAccount): Promise<Account> {
    if (!ACCOUNT_ID.test(id)) {
      throw new ProblemException(400, `"${id}" cannot name an account: use 1 to 40 small letters, digits and hyphens.`);
    }
    await this.ledger.open(id, balanceCents);
    return this.account(id);
  }

  @Get('accounts/:id')
  async account(@Param('id') id: string): Promise<Account> {
    const account = await this.ledger.find(id);
    if (!account)
      throw new ProblemException(404, `There is no account ${id}: open it with PUT /payments/accounts/${id}.`);
    return account;
  }
}

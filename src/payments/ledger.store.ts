import { Injectable } from '@nestjs/common';
import { ShopStore } from '../store/shop-store.js';
import type { Account, LedgerEntry } from './account.js';
import { DEBIT_SCRIPT } from './debit.script.js';
import type { DebitAccount, DebitAnswer } from './debit-account.task.js';

const SHOWN_DEBITS = 10;

/** The account to play with is opened when it is first looked at or debited. */
const OPENING_CENTS: Readonly<Record<string, number>> = { demo: 1_000_000 };

/** Accounts, what was taken from them, and a control row for each transaction that was ever decided. */
@Injectable()
export class LedgerStore {
  constructor(private readonly store: ShopStore) {}

  /** Takes the money, once per transaction id; answers the first decision to every later call. */
  async debit({ transactionId, accountId, amountCents }: DebitAccount): Promise<DebitAnswer> {
    const keys = [accountKey(accountId), `shop:debit:${transactionId}`, ledgerKey(accountId)];
    const opening = String(OPENING_CENTS[accountId] ?? '');
    const row = await this.store.use((redis) =>
      redis.eval(DEBIT_SCRIPT, keys.length, ...keys, transactionId, accountId, amountCents, opening),
    );
    return JSON.parse(String(row)) as DebitAnswer;
  }

  /** Opens an account, unless it is open. */
  async open(id: string, balanceCents: number): Promise<void> {
    await this.store.use((redis) => redis.hsetnx(accountKey(id), 'balanceCents', balanceCents));
  }

  /** An account as it is now; `undefined` where nobody opened it. */
  async find(id: string): Promise<Account | undefined> {
    const opening = OPENING_CENTS[id];
    if (opening !== undefined) await this.open(id, opening);
    const [balance, debitCount, entries] = await this.store.use((redis) =>
      Promise.all([
        redis.hget(accountKey(id), 'balanceCents'),
        redis.llen(ledgerKey(id)),
        redis.lrange(ledgerKey(id), 0, SHOWN_DEBITS - 1),
      ]),
    );
    if (balance === null) return undefined;
    const debits = entries.map((entry) => JSON.parse(entry) as LedgerEntry);
    return { id, balanceCents: Number(balance), debitCount, debits };
  }
}

function accountKey(id: string): string {
  return `shop:account:${id}`;
}

function ledgerKey(id: string): string {
  return `shop:ledger:${id}`;
}

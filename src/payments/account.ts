import { IsInt, Max, Min } from 'class-validator';

export const ACCOUNT_ID = /^[a-z0-9-]{1,40}$/;

const MAX_BALANCE_CENTS = 100_000_000_000;

/** The body of the request that opens an account. */
export class OpenAccount {
  @IsInt()
  @Min(0)
  @Max(MAX_BALANCE_CENTS)
  readonly balanceCents!: number;
}

export interface Account {
  readonly id: string;
  readonly balanceCents: number;
  /** How many debits were taken in all. */
  readonly debitCount: number;
  /** The last of them, newest first. */
  readonly debits: readonly LedgerEntry[];
}

export interface LedgerEntry {
  readonly transactionId: string;
  readonly amountCents: number;
}

/**
 * The trial balance of a book: what stands on each account, debits beside credits. Nothing is netted: a customer who is overdrawn stands on
 * the debit side.
 * Next: trial-balance-store.ts (its rows).
 */
import { createHash } from 'node:crypto';
import { publicId, type Uuid } from '../../values/ids.ts';
import type { Account } from '../account/account.ts';

/** An account that does not stand at zero. */
export interface BalanceOfAccount extends Pick<Account, 'id' | 'code' | 'side' | 'currency'> {
  /** On the account's own side. */
  readonly balance: bigint;
}

export interface DebitAndCredit {
  readonly debit: bigint;
  readonly credit: bigint;
}

/** One of the two is zero. */
export function columnsOf({ side, balance }: Pick<BalanceOfAccount, 'side' | 'balance'>): DebitAndCredit {
  const amount = balance < 0n ? -balance : balance;
  return (side === 'debit') === balance >= 0n ? { debit: amount, credit: 0n } : { debit: 0n, credit: amount };
}

/**
 * SHA-256 over a line for each account, in order of id: `acct_…,currency,debit,credit`, amounts in minor units, each line ended by a line
 * feed. Names and texts are left out, so that an erasure changes no digest.
 */
export class TrialBalance {
  readonly #hash = createHash('sha256');
  readonly #totals = new Map<string, DebitAndCredit>();
  #last: Uuid | undefined;

  /** Throws RangeError for an account out of order. */
  add(row: BalanceOfAccount): void {
    if (this.#last !== undefined && row.id <= this.#last) throw new RangeError(`Account ${row.id} is out of order`);
    this.#last = row.id;
    const { debit, credit } = columnsOf(row);
    this.#hash.update(`${publicId('account', row.id)},${row.currency},${debit},${credit}\n`);
    const total = this.#totals.get(row.currency) ?? { debit: 0n, credit: 0n };
    this.#totals.set(row.currency, { debit: total.debit + debit, credit: total.credit + credit });
  }

  /** By currency. The two are equal in each: an entry balances by its shape. */
  get totals(): ReadonlyMap<string, DebitAndCredit> {
    return this.#totals;
  }

  /** Called once, behind the last account. */
  digest(): string {
    return this.#hash.digest('hex');
  }
}

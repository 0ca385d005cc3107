/**
 * Safeguarding: what is owed to customers, what is on its way for them and what nobody has claimed yet is at most what stands on the bank accounts
 * that hold customers' money, in each currency.
 */
import type { Queryable } from '../../db/pool.ts';
import { type OpenException, openOnce } from '../../exceptions/open-exception.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Command } from '../../ledger/command/command.ts';
import { formatAmount } from '../../money/amount.ts';
import { BEFORE_ALL_IDS, deriveId } from '../../values/ids.ts';
import { elsewhere } from '../../values/progress.ts';
import type { BankColumn, BankReport } from './bank-report.ts';
import { readBankAccountPositions, readBookIds, readClearingPositions, readOwedToCustomers } from './position-store.ts';

const BOOKS_AT_ONCE = 500;

interface Sums {
  customers: bigint;
  inTransit: bigint;
  unallocated: bigint;
  banks: bigint;
}

export const SAFEGUARDING_COLUMNS: readonly BankColumn[] = [
  { name: 'currency', is: 'word' },
  { name: 'customers', is: 'amount' },
  { name: 'in_transit', is: 'amount' },
  { name: 'unallocated', is: 'amount' },
  { name: 'required', is: 'amount' },
  { name: 'banks', is: 'amount' },
  { name: 'short', is: 'amount' },
];

/** As of now, within the snapshot of the caller. */
export async function safeguarding(db: Queryable, bookId: BookId): Promise<BankReport> {
  const sums = new Map<string, Sums>();
  const of = (currency: string) => {
    const known = sums.get(currency) ?? { customers: 0n, inTransit: 0n, unallocated: 0n, banks: 0n };
    sums.set(currency, known);
    return known;
  };
  for (let after: BookId = BEFORE_ALL_IDS; ; ) {
    const ids = await readBookIds(db, { operatorBookId: bookId, after, limit: BOOKS_AT_ONCE });
    for (const { currency, code, owed } of await readOwedToCustomers(db, ids))
      of(currency)[code === 'customer' ? 'customers' : 'inTransit'] += owed;
    if (ids.length < BOOKS_AT_ONCE) break;
    after = elsewhere('the books of a mode', after, ids.at(-1)!);
  }
  for (const { code, currency, books } of await readClearingPositions(db, bookId))
    if (code === 'unallocated') of(currency).unallocated += books;
  for (const { currency, holds, books } of await readBankAccountPositions(db, bookId))
    if (holds === 'customer_money') of(currency).banks += books;
  const rows = [...sums].sort().map(([currency, { customers, inTransit, unallocated, banks }]) => {
    // Below zero, unallocated is what customers were given before a statement has shown it.
    const required = customers + inTransit + unallocated;
    return {
      ...{
        currency,
        customers,
        in_transit: inTransit,
        unallocated,
        required,
        banks,
        short: required > banks ? required - banks : 0n,
      },
    };
  });
  return {
    type: 'safeguarding',
    title: "Safeguarding of customers' money",
    columns: SAFEGUARDING_COLUMNS,
    rows,
    ok: rows.every(({ short }) => short === 0n),
    throughSequence: null,
  };
}

/** Of each currency in which money is short, an exception a day. */
export function shortfalls(bookId: BookId, { rows }: BankReport, day: string): Command<void>[] {
  return rows
    .filter(({ short }) => short !== 0n)
    .map(({ currency, required, banks, short }) => {
      const amount = (minor: unknown) => formatAmount(minor as bigint, currency);
      const exception: OpenException = {
        id: deriveId('safeguarding', bookId, currency, day),
        kind: 'safeguarding_short',
        resource: 'book',
        resourceId: bookId,
        detail: `Bank accounts that hold customers' money have ${amount(banks)}, and ${amount(required)} is owed: ${amount(short)} is short.`,
      };
      return openOnce(exception);
    });
}

/**
 * The chart of accounts of a book, per currency. A book is the operator's view of one organisation. Customers' money is
 * owed to the customers, so their accounts are liabilities.
 */
import { deriveId, type Uuid } from '../values/ids.ts';
import type { Account, Side } from './account.ts';
import type { AccountCode, ChartCode } from './account-code.ts';
import type { BookId } from './book.ts';

export type { AccountCode, ChartCode };

interface ChartLine {
  side: Side;
  /** The least available balance allowed, in minor units; null for no limit. */
  floor: bigint | null;
}

export const CHART: Record<AccountCode, ChartLine> = {
  pool: { side: 'debit', floor: null },
  acquirer: { side: 'debit', floor: null },
  customer: { side: 'credit', floor: 0n },
  payouts_in_transit: { side: 'credit', floor: 0n },
  refunds_in_transit: { side: 'credit', floor: 0n },
  merchant_pending: { side: 'credit', floor: null },
  scheme_settlement: { side: 'credit', floor: null },
  due_operator: { side: 'credit', floor: null },
  fx_position: { side: 'debit', floor: null },
};

/** All but those of customers. */
export const CHART_CODES = (Object.keys(CHART) as AccountCode[]).filter((code) => code !== 'customer');

/** A chart account's id is derived from book, code and currency, so a command can name the account before it exists. */
export function chartAccountId(bookId: BookId, code: ChartCode, currency: string): Uuid {
  let ofBook = derived.get(bookId);
  if (ofBook === undefined) {
    if (derived.size >= BOOKS_KEPT) derived.delete(derived.keys().next().value!);
    ofBook = new Map();
    derived.set(bookId, ofBook);
  }
  let ofCurrency = ofBook.get(currency);
  if (ofCurrency === undefined) {
    ofCurrency = {};
    ofBook.set(currency, ofCurrency);
  }
  ofCurrency[code] ??= deriveId('account', bookId, code, currency);
  return ofCurrency[code];
}
/** Every payout names several chart accounts, so their derived ids are cached, within bounds. */
const derived = new Map<BookId, Map<string, Partial<Record<ChartCode, Uuid>>>>();
const BOOKS_KEPT = 5_000;

export function newAccount(id: Uuid, code: AccountCode, currency: string): Account {
  const { side, floor } = CHART[code];
  return {
    id,
    code,
    side,
    currency,
    status: 'open',
    postedDebits: 0n,
    postedCredits: 0n,
    heldDebits: 0n,
    heldCredits: 0n,
    floor,
    lines: 0n,
  };
}

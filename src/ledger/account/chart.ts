/**
 * The chart of accounts of a book, per currency. A book is the operator's view of one organisation. Customers' money is
 * owed to the customers, so their accounts are liabilities.
 */
import { deriveId, type Uuid } from '../../values/ids.ts';
import type { BookId } from '../book/book.ts';
import type { Account, Side } from './account.ts';
import type { AccountCode, ChartCode } from './account-code.ts';

export type { ChartCode };

/** An own account has side and floor of its own. */
export type ChartedCode = Exclude<AccountCode, 'own'>;

interface ChartLine {
  side: Side;
  /** The least available balance allowed, in minor units; null for no limit. */
  floor: bigint | null;
}

export const CHART: Record<ChartedCode, ChartLine> = {
  pool: { side: 'debit', floor: null },
  acquirer: { side: 'debit', floor: null },
  customer: { side: 'credit', floor: 0n },
  payouts_in_transit: { side: 'credit', floor: 0n },
  refunds_in_transit: { side: 'credit', floor: 0n },
  merchant_pending: { side: 'credit', floor: null },
  scheme_settlement: { side: 'credit', floor: null },
  due_operator: { side: 'credit', floor: null },
  fx_position: { side: 'debit', floor: null },
  bank: { side: 'debit', floor: null },
  rail_clearing: { side: 'credit', floor: null },
  acquirer_clearing: { side: 'debit', floor: null },
  acquirer_suspense: { side: 'credit', floor: null },
  acquiring_costs: { side: 'debit', floor: null },
  pool_owed: { side: 'credit', floor: null },
  fees: { side: 'credit', floor: null },
  tax_payable: { side: 'credit', floor: null },
  unallocated: { side: 'credit', floor: null },
  suspense: { side: 'debit', floor: null },
  own_funds: { side: 'credit', floor: null },
  rail_costs: { side: 'debit', floor: null },
  bank_charges: { side: 'debit', floor: null },
  differences: { side: 'debit', floor: null },
  interest: { side: 'credit', floor: null },
  credit_losses: { side: 'debit', floor: null },
};

/** All but those of customers. */
export const CHART_CODES = (Object.keys(CHART) as ChartedCode[]).filter((code) => code !== 'customer');

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

/** Of a code that has an account for each party, such as a bank account: the party's id is part of what it is derived from. */
export function partyAccountId(
  bookId: BookId,
  code: ChartCode,
  { currency, party }: { currency: string; party: Uuid },
): Uuid {
  return deriveId('account', bookId, code, currency, party);
}

/** Every payout names several chart accounts, so their derived ids are cached, within bounds. */
const derived = new Map<BookId, Map<string, Partial<Record<ChartCode, Uuid>>>>();
const BOOKS_KEPT = 5_000;

export function newAccount(id: Uuid, code: ChartedCode, currency: string): Account {
  return emptyAccount({ id, code, currency, ...CHART[code] });
}

/** An account of the organisation's own chart. */
export function newOwnAccount(account: Pick<Account, 'id' | 'side' | 'currency' | 'floor'>): Account {
  return emptyAccount({ ...account, code: 'own' });
}

function emptyAccount({
  id,
  code,
  side,
  currency,
  floor,
}: Pick<Account, 'id' | 'code' | 'side' | 'currency' | 'floor'>): Account {
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
    alertBelow: null,
  };
}

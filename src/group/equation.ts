/**
 * Equations tie accounts to rows: the entries of a row have moved on an account what the row states for it. An account
 * is the sum of its postings (verify/account-check.ts), each posting is of an entry, each entry is of a row that exists
 * and has an equation for the account (verify/journal-check.ts), so its balance is the sum of what rows state, in each
 * book and currency. The sum itself is never computed: a page of rows is checked at a time, while the book goes on.
 * docs/decisions/equations.md.
 */

import type { AccountCode, ChartCode } from '../ledger/account/account-code.ts';
import { CHART_CODES, chartAccountId } from '../ledger/account/chart.ts';
import { publicId, type ResourceName, resourceReference, type Uuid } from '../values/ids.ts';
import type { CheckContext } from './check-context.ts';
import type { RowCheck } from './row-check.ts';
import type { BookedStep } from './steps-store.ts';

export interface Equation<Row = unknown, Code extends ChartCode = ChartCode> {
  /** Who reads the rows, page by page, each as of one moment with its entries. */
  readonly rows: RowCheck<Row, unknown>;
  /** What entries of the rows name. */
  readonly resources: readonly ResourceName[];
  /** The accounts of the chart that these entries move. Every code of the chart has an equation (test/unit/equations.test.ts). */
  readonly codes: readonly Code[];
  balancesOf(row: Row): readonly RowBalances<Code>[];
}

/** What a row contributes to the balances of accounts, and the entries that moved them. */
export interface RowBalances<Code extends ChartCode = ChartCode> {
  readonly resource: ResourceName;
  readonly id: Uuid;
  readonly currency: string;
  readonly entries: readonly BookedStep[];
  /** Credits less debits, in minor units. */
  readonly chart: Readonly<Record<Code, bigint>>;
  /** The same of customers' accounts; whatever is not named here has not moved. */
  readonly customers: readonly (readonly [accountId: Uuid, amount: bigint])[];
}

/** An equation of rows of a known shape, among those of all groups. */
export function equationOf<Row, Place, Code extends ChartCode>(
  equation: Omit<Equation<Row, Code>, 'rows'> & { readonly rows: RowCheck<Row, Place> },
): Equation {
  return equation as unknown as Equation;
}

export function checkEquation(context: CheckContext, equation: Equation, row: unknown): void {
  for (const balances of equation.balancesOf(row)) checkBalances(context, balances);
}

function checkBalances({ book, report }: CheckContext, balances: RowBalances): void {
  const { resource, id, currency } = balances;
  const moved = movedBy(balances.entries);
  const expected = new Map<Uuid, bigint>(balances.customers);
  for (const [code, amount] of Object.entries(balances.chart)) {
    const accountId = chartAccountId(book.id, code as ChartCode, currency);
    // A row may name an account of the chart by its id too: the account that an expected item is booked on.
    expected.set(accountId, (expected.get(accountId) ?? 0n) + amount);
  }
  for (const accountId of new Set([...expected.keys(), ...moved.keys()])) {
    const [stated, booked] = [expected.get(accountId) ?? 0n, moved.get(accountId) ?? 0n];
    if (stated === booked) continue;
    const code = codeOf(book.id, currency, accountId);
    report({
      check: 'account.equation',
      ids: { account: publicId('account', accountId), [resource]: resourceReference(resource, id) },
      expected: `${stated} ${currency} credited less debited`,
      actual: `${booked} ${currency} credited less debited`,
      detail: `What entries of the ${resource} moved on ${code === 'customer' ? "a customer's account" : code} is not what its row says.`,
    });
  }
}

/** Credits less debits, by account. */
function movedBy(entries: readonly BookedStep[]): Map<Uuid, bigint> {
  const moved = new Map<Uuid, bigint>();
  const add = (accountId: Uuid, amount: bigint) => moved.set(accountId, (moved.get(accountId) ?? 0n) + amount);
  for (const { postings } of entries)
    for (const { debitAccountId, creditAccountId, amount } of postings) {
      add(debitAccountId, -amount);
      add(creditAccountId, amount);
    }
  return moved;
}

/** The code of an account of a book: one of the chart, or a customer's. */
export function codeOf(bookId: Uuid, currency: string, accountId: Uuid): AccountCode {
  if (latest.bookId !== bookId || latest.currency !== currency) {
    const codes = new Map(CHART_CODES.map((code) => [chartAccountId(bookId, code, currency), code]));
    latest = { bookId, currency, codes };
  }
  return latest.codes.get(accountId) ?? 'customer';
}
/** A journal is read book by book, and each posting asks twice. */
let latest: { bookId: Uuid; currency: string; codes: ReadonlyMap<Uuid, ChartCode> } = {
  bookId: '',
  currency: '',
  codes: new Map(),
};

/** What is left of what the chart moved is a customer's, since an entry balances. */
export function restOf<Code extends ChartCode>(chart: Readonly<Record<Code, bigint>>): bigint {
  return -Object.values<bigint>(chart).reduce((sum, amount) => sum + amount, 0n);
}

/**
 * What a report is made of: rows under columns, page by page. Figures are of one place of the journal, so the same place gives the same rows
 * whenever they are read. Names and texts may change meanwhile: the digest leaves them out (write-figures.ts).
 * Next: trial-balance.ts, account-activity.ts, open-items.ts.
 */
import type { Queryable } from '../../db/pool.ts';
import type { JournalPlace } from '../../ledger/balances/balances-at.ts';

export { FigureContradicted } from '../../ledger/balances/totals/folded-accounts.ts';

import type { Uuid } from '../../values/ids.ts';
import type { Axis, BookOfReport } from './place.ts';

export interface Column {
  readonly name: string;
  readonly is: /** Names and texts: may change, and are no part of the digest. */
    | 'text'
    /** Codes, ids and days. */
    | 'word'
    /** Minor units of the row's currency. */
    | 'amount'
    | 'count';
  /** Of an amount: the side of the totals that it counts to. */
  readonly totals?: 'debits' | 'credits';
}

export type Cell = string | bigint | number | null;

/** Under `currency` stands the currency of its amounts. */
export type Row = Readonly<Record<string, Cell>> & { readonly currency: string };

export const DETAILS = ['entry', 'day'] as const;
export type Detail = (typeof DETAILS)[number];

/** What a report is asked for. Days of the book: YYYY-MM-DD. */
export interface Asked {
  readonly axis: Axis;
  /** Of a report as of one day: the same day twice. */
  readonly from: string;
  readonly to: string;
  readonly currency?: string | undefined;
  /** Of types that take one: this account alone. */
  readonly account?: Uuid | undefined;
  /** Of types that take it: a row for each line, or for each day. */
  readonly detail?: Detail | undefined;
  /** Entries behind it do not count. */
  readonly sequence: bigint;
}

export interface FigureOrigin {
  readonly db: Queryable;
  readonly book: BookOfReport;
  readonly asked: Asked;
  /** The end of `to`. */
  readonly place: JournalPlace;
}

export interface FigurePage {
  readonly rows: readonly Row[];
  /** Where the rows behind the page begin: `rows` goes on from there. */
  readonly next: string;
}

export interface FigureKind {
  readonly columns: readonly Column[];
  /** Debits and credits of each currency are the same sum: a report of which they are not is not kept. */
  readonly balances: boolean;
  /** Throws FigureContradicted where the figures do not agree with the journal. `from`: the `next` of a page, which stands before them. */
  rows(origin: FigureOrigin, from?: string): AsyncIterable<FigurePage>;
}

/** Behind the only page of a report that is added up as a whole. */
const END = 'end';

/** The rows of a kind that adds them up before it has the first one: one page, and nothing behind it. */
export async function* onePage(
  from: string | undefined,
  add: () => Promise<readonly Row[]>,
): AsyncGenerator<FigurePage> {
  if (from !== END) yield { rows: await add(), next: END };
}

/** The next page is read while this one is written. */
export async function* readAhead(pages: AsyncGenerator<FigurePage>): AsyncGenerator<FigurePage> {
  let next = pages.next();
  try {
    for (let page = await next; !page.done; page = await next) {
      next = pages.next();
      // Awaited behind this page, which may fail first.
      next.catch(() => undefined);
      yield page.value;
    }
  } finally {
    await next.catch(() => undefined);
    await pages.return(undefined);
  }
}

/** An account as a report shows it. */
export const accountColumns: readonly Column[] = [
  { name: 'currency', is: 'word' },
  { name: 'code', is: 'word' },
  { name: 'name', is: 'text' },
  { name: 'type', is: 'word' },
  { name: 'account', is: 'word' },
];

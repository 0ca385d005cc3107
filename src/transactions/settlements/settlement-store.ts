/** What is cleared and not settled, by the lines of the account `scheme_settlement`, and pages of settlements and their lines. */
import { textArray } from '../../db/columns.ts';
import { type CreatedRange, type Page, type PageRequest, pageOf } from '../../db/page.ts';
import type { Queryable } from '../../db/pool.ts';
import { ApiError } from '../../errors/errors.ts';
import { chartAccountId } from '../../ledger/account/chart.ts';
import type { BookId } from '../../ledger/book/book.ts';
import { listRows } from '../../ledger/resources/list-rows.ts';
import { derivedTable } from '../../ledger/rows/derived-table.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';
import { type SchemeSettlement, schemeSettlements } from './settlement-table.ts';

/** How far a currency is settled. */
export interface SettledThrough {
  readonly currency: string;
  readonly line: bigint;
}

/** By currency, under the lock. */
export const settledThrough = derivedTable<SettledThrough>({
  name: 'scheme_settlements (last line)',
  load: readThrough,
});

/** Index: scheme_settlements_by_line. */
async function readThrough(
  db: Queryable,
  bookId: BookId,
  currencies: readonly string[],
): Promise<Map<string, SettledThrough>> {
  const { rows } = await db.query<{ currency: string; line: bigint }>({
    name: 'scheme_settlements.through',
    text: `SELECT wanted.currency, last.line FROM unnest($2::text[]) AS wanted (currency), LATERAL (
        SELECT through_line AS line FROM scheme_settlements s
        WHERE s.book_id = $1 AND s.currency = wanted.currency ORDER BY through_line DESC LIMIT 1) AS last`,
    values: [bookId, textArray(currencies)],
  });
  return new Map(rows.map((row) => [row.currency, row]));
}

export interface Unsettled {
  readonly currency: string;
  /** The first line that is not settled, and the last one now. */
  readonly fromLine: bigint;
  readonly throughLine: bigint;
  readonly lines: bigint;
  readonly net: bigint;
}

/** Of each currency in which the book has accounts, or of one. Index: default_accounts_pkey, accounts_pkey; then as for sumOfLines. */
export async function readUnsettled(
  db: Queryable,
  bookId: BookId,
  only: string | undefined,
): Promise<readonly Unsettled[]> {
  const { rows } = await db.query<{ currency: string }>({
    name: 'scheme_settlements.currencies',
    text: `SELECT currency FROM default_accounts WHERE book_id = $1 AND ($2::text IS NULL OR currency = $2) ORDER BY currency`,
    values: [bookId, only ?? null],
  });
  const currencies = rows.map(({ currency }) => currency);
  const settled = await readThrough(db, bookId, currencies);
  const unsettled: Unsettled[] = [];
  for (const currency of currencies) {
    const fromLine = (settled.get(currency)?.line ?? 0n) + 1n;
    const sum = await sumOfLines(db, bookId, { currency, fromLine });
    if (sum.lines > 0n) unsettled.push({ currency, fromLine, ...sum });
  }
  return unsettled;
}

/**
 * Of the lines from one on, up to the last there is or another. Lines never change, so a sum up to a line stays right. Indexes: postings'
 * (book, account, line) of both sides, entries_pkey.
 */
export async function sumOfLines(
  db: Queryable,
  bookId: BookId,
  { currency, fromLine, throughLine }: { currency: string; fromLine: bigint; throughLine?: bigint },
): Promise<Pick<Unsettled, 'throughLine' | 'lines' | 'net'>> {
  const accountId = chartAccountId(bookId, 'scheme_settlement', currency);
  const { rows } = await db.query<{ through_line: bigint; lines: bigint; net: bigint }>({
    name: 'scheme_settlements.sum',
    text: `WITH head AS (SELECT COALESCE($4::bigint, (SELECT lines FROM accounts WHERE book_id = $1 AND id = $2), 0) AS line),
      moved AS (
        SELECT amount, entry_sequence FROM postings, head
          WHERE book_id = $1 AND credit_account_id = $2 AND credit_line >= $3 AND credit_line <= head.line
        UNION ALL
        SELECT -amount, entry_sequence FROM postings, head
          WHERE book_id = $1 AND debit_account_id = $2 AND debit_line >= $3 AND debit_line <= head.line
      )
      SELECT (SELECT line FROM head) AS through_line, count(*) AS lines, COALESCE(sum(m.amount), 0)::bigint AS net
      FROM moved m JOIN entries e ON e.book_id = $1 AND e.sequence = m.entry_sequence AND e.resource <> 'scheme_settlement'`,
    values: [bookId, accountId, fromLine, throughLine ?? null],
  });
  const [row] = rows;
  return { throughLine: row!.through_line, lines: row!.lines, net: row!.net };
}

/** A page, newest first. Indexes: scheme_settlements_pkey, scheme_settlements_by_created. */
export function listSettlements(
  db: Queryable,
  bookId: BookId,
  { currency, created }: { currency?: string | undefined; created?: CreatedRange },
  page: PageRequest,
): Promise<Page<SchemeSettlement>> {
  const filter = { equal: { currency: currency === undefined ? undefined : [currency] }, created };
  return listRows(db, { table: schemeSettlements }, { bookId, filter, page });
}

/** A line that a settlement covers: what one posting has moved. */
export interface SettledLine {
  readonly line: bigint;
  /** Minor units: above zero it is owed to the scheme. */
  readonly amount: bigint;
  readonly currency: string;
  readonly entryId: Uuid;
  readonly step: string;
  readonly resource: 'transaction_message' | 'transaction_dispute';
  readonly resourceId: Uuid;
  readonly transactionId: Uuid;
  readonly networkReference: string;
  readonly interchange: bigint | null;
  readonly postedAt: Instant;
}

interface LineColumns {
  line: bigint;
  amount: bigint;
  currency: string;
  entry_id: Uuid;
  step: string;
  resource: SettledLine['resource'];
  resource_id: Uuid;
  transaction_id: Uuid;
  network_reference: string;
  interchange: bigint | null;
  posted_at: Instant;
}

/**
 * A page of the lines of a settlement, newest first. Cursors are numbers of lines. Indexes: postings' (book, account, line) of both sides,
 * entries_pkey, transaction_messages_pkey, transaction_disputes_pkey, transactions_pkey.
 */
export async function listSettledLines(
  db: Queryable,
  bookId: BookId,
  { currency, fromLine, throughLine }: SchemeSettlement,
  page: PageRequest,
): Promise<Page<SettledLine>> {
  const [from, through] = boundsOf({ fromLine, throughLine }, page);
  const order = page.endingBefore === undefined ? 'DESC' : 'ASC';
  const { rows } = await db.query<LineColumns>({
    name: `scheme_settlements.lines_${order.toLowerCase()}`,
    text: `SELECT m.line, m.amount, m.currency, e.id AS entry_id, e.step, e.resource, e.resource_id, e.posted_at,
        t.id AS transaction_id, t.network_reference, w.interchange
      FROM (
        (SELECT credit_line AS line, amount, currency, entry_sequence FROM postings
          WHERE book_id = $1 AND credit_account_id = $2 AND credit_line >= $3 AND credit_line <= $4
          ORDER BY credit_line ${order} LIMIT $5)
        UNION ALL
        (SELECT debit_line, -amount, currency, entry_sequence FROM postings
          WHERE book_id = $1 AND debit_account_id = $2 AND debit_line >= $3 AND debit_line <= $4
          ORDER BY debit_line ${order} LIMIT $5)
      ) m
      JOIN entries e ON e.book_id = $1 AND e.sequence = m.entry_sequence AND e.resource <> 'scheme_settlement'
      LEFT JOIN transaction_messages w ON w.book_id = $1 AND w.id = e.resource_id
      LEFT JOIN transaction_disputes d ON d.book_id = $1 AND d.id = e.resource_id
      JOIN transactions t ON t.book_id = $1 AND t.id = COALESCE(w.transaction_id, d.transaction_id)
      ORDER BY m.line ${order} LIMIT $5`,
    // One more shows whether more rows follow; the entry of the settlement before is among them, and is left out.
    values: [bookId, chartAccountId(bookId, 'scheme_settlement', currency), from, through, page.limit + 2],
  });
  return pageOf(rows.slice(0, page.limit + 1).map(lineFromRow), page);
}

/** Throws ApiError `cursor_invalid` for a line that is not of the settlement. */
function boundsOf(
  { fromLine, throughLine }: Pick<SchemeSettlement, 'fromLine' | 'throughLine'>,
  { startingAfter, endingBefore }: PageRequest,
): [from: bigint, through: bigint] {
  const within = (param: string, text: string) => {
    const line = BigInt(text);
    if (line < fromLine || line > throughLine)
      throw new ApiError('cursor_invalid', { param, detail: 'The settlement has no such line.' });
    return line;
  };
  if (startingAfter !== undefined) return [fromLine, within('starting_after', startingAfter) - 1n];
  if (endingBefore !== undefined) return [within('ending_before', endingBefore) + 1n, throughLine];
  return [fromLine, throughLine];
}

function lineFromRow(row: LineColumns): SettledLine {
  return {
    line: row.line,
    amount: row.amount,
    currency: row.currency,
    entryId: row.entry_id,
    step: row.step,
    resource: row.resource,
    resourceId: row.resource_id,
    transactionId: row.transaction_id,
    networkReference: row.network_reference,
    interchange: row.interchange,
    postedAt: row.posted_at,
  };
}

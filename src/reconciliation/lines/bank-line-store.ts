/** Reads and writes of bank lines that a declaration cannot state: many at once, outside of commands. */
import { hexArray, plainArray } from '../../db/columns.ts';
import { build, type Page, type PageRequest } from '../../db/page.ts';
import type { Queryable, Transaction } from '../../db/pool.ts';
import type { Walk, WalkedList } from '../../db/walk.ts';
import { walkOf } from '../../db/walk-by-time.ts';
import type { BookId } from '../../ledger/book/book.ts';
import { listRows } from '../../ledger/resources/list-rows.ts';
import { truncateCardNumbers } from '../../values/card-number.ts';
import type { Uuid } from '../../values/ids.ts';
import type { BankLine, BankLineStatus } from './bank-line.ts';
import { bankLines } from './bank-line-table.ts';

/**
 * Keeps lines of one statement that are not kept yet: the same file may be read again after a kill, and beside a process that has stalled. The
 * statement's row is locked, so that one of them writes. Index: bank_lines_pkey.
 */
export async function keepLines(
  trx: Transaction,
  { bookId, statementId }: { readonly bookId: BookId; readonly statementId: Uuid },
  lines: readonly BankLine[],
): Promise<void> {
  await trx.query({
    name: 'bank_statements.lock',
    text: 'SELECT FROM bank_statements WHERE book_id = $1 AND id = $2 FOR NO KEY UPDATE',
    values: [bookId, statementId],
  });
  const known = await bankLines.load(
    trx,
    bookId,
    lines.map(({ id }) => id),
  );
  const fresh = lines.filter(({ id }) => !known.has(id)).map(masked);
  if (fresh.length > 0) await bankLines.insert(trx, bookId, fresh);
}

/**
 * Matching looks for references in these texts, so numbers are truncated rather than removed. Not its reference of an account: that is what
 * transfers between own accounts are matched by, and it is shown by its end alone.
 */
function masked(line: BankLine): BankLine {
  const truncated = (text: string | null) => (text === null ? null : truncateCardNumbers(text));
  return { ...line, counterpartyName: truncated(line.counterpartyName), text: truncated(line.text) };
}

interface Alike {
  /** Of a bank account, or of an account of the book that they are compared with. */
  readonly accountId: Uuid;
  readonly isCompared: boolean;
  /** Whose own lines do not count. */
  readonly statementId: Uuid;
  /** Only lines of these; undefined: of every statement without balances. */
  readonly among: readonly Uuid[] | undefined;
  readonly likenesses: readonly string[];
}

/** How many lines of other statements look so. Indexes: bank_lines_alike, bank_lines_compared_alike, bank_statements_pkey. */
export async function countAlike(db: Queryable, bookId: BookId, of: Alike): Promise<Map<string, number>> {
  const scope = of.among === undefined ? 's.opening IS NULL AND $5::uuid[] IS NULL' : 's.id = ANY ($5::uuid[])';
  const account = of.isCompared ? 'compared_account_id' : 'bank_account_id';
  const { rows } = await db.query<{ likeness: Buffer; count: bigint }>(
    `SELECT l.likeness, count(*) AS count FROM bank_lines l
     JOIN bank_statements s ON s.book_id = l.book_id AND s.id = l.statement_id
     WHERE l.book_id = $1 AND l.${account} = $2 AND l.likeness = ANY ($3::bytea[]) AND l.statement_id <> $4
       AND s.status <> 'rejected' AND ${scope} GROUP BY l.likeness`,
    [bookId, of.accountId, hexArray(of.likenesses), of.statementId, of.among ? plainArray(of.among) : null],
  );
  return new Map(rows.map(({ likeness, count }) => [likeness.toString('hex'), Number(count)]));
}

/** How many lines of a statement are kept, and the place of the last one that is posted. Index: bank_lines_by_statement. */
export async function readProgress(
  db: Queryable,
  bookId: BookId,
  statementId: Uuid,
): Promise<{ readonly kept: number; readonly postedTo: number }> {
  const { rows } = await db.query<{ kept: bigint; posted_to: number | null }>(
    `SELECT count(*) AS kept, max(place) FILTER (WHERE status <> 'pending') AS posted_to FROM bank_lines
     WHERE book_id = $1 AND statement_id = $2`,
    [bookId, statementId],
  );
  return { kept: Number(rows[0]!.kept), postedTo: rows[0]!.posted_to ?? -1 };
}

/** Lines of a statement behind a place. Index: bank_lines_by_statement. */
export async function listStatementLines(
  db: Queryable,
  bookId: BookId,
  { statementId, behind, limit }: { statementId: Uuid; behind: number; limit: number },
): Promise<BankLine[]> {
  const { rows } = await db.query({
    name: 'bank_lines.behind',
    text: `SELECT ${bankLines.selected()} FROM bank_lines WHERE book_id = $1 AND statement_id = $2 AND place > $3
      ORDER BY place LIMIT $4`,
    values: [bookId, statementId, behind, limit],
  });
  return rows.map(bankLines.fromRow);
}

export interface BankLineFilter {
  readonly bankAccountIds?: readonly Uuid[] | undefined;
  readonly comparedAccountIds?: readonly Uuid[] | undefined;
  readonly bankReferences?: readonly string[] | undefined;
  readonly endToEndIds?: readonly string[] | undefined;
  readonly statuses?: readonly BankLineStatus[] | undefined;
  readonly bookedOn?: { readonly gte?: string | undefined; readonly lte?: string | undefined };
  readonly amount?: { readonly gte?: bigint | undefined; readonly lte?: bigint | undefined };
}

/**
 * A page of lines, newest first. The rarest filter is walked. Indexes: bank_lines_by_reference, bank_lines_by_end_to_end_id,
 * bank_lines_by_account, bank_lines_compared, bank_lines_pkey.
 */
export async function listBankLines(
  db: Queryable,
  bookId: BookId,
  filter: BankLineFilter,
  page: PageRequest,
): Promise<Page<BankLine>> {
  const all: Walk = { table: 'bank_lines', id: 'id', equal: { book_id: bookId } };
  const among = (column: string, values: readonly string[] | undefined): Walk[] =>
    values?.length ? [{ ...all, among: { column, values } }] : [];
  const list: WalkedList = {
    all,
    walks: [
      ...among('bank_reference', filter.bankReferences),
      ...among('end_to_end_id', filter.endToEndIds),
      ...among('bank_account_id', filter.bankAccountIds),
      ...among('compared_account_id', filter.comparedAccountIds),
    ],
    rechecked: true,
    row(candidate) {
      const query = build('bank_lines')
        .select(build.raw(`${bankLines.selected()}, COALESCE(octet_length(text), 0) AS bytes`))
        .where({ book_id: bookId, id: candidate });
      if (filter.bankReferences?.length) query.whereIn('bank_reference', [...filter.bankReferences]);
      if (filter.endToEndIds?.length) query.whereIn('end_to_end_id', [...filter.endToEndIds]);
      if (filter.bankAccountIds?.length) query.whereIn('bank_account_id', [...filter.bankAccountIds]);
      if (filter.comparedAccountIds?.length) query.whereIn('compared_account_id', [...filter.comparedAccountIds]);
      if (filter.statuses?.length) query.whereIn('status', [...filter.statuses]);
      if (filter.bookedOn?.gte) query.where('booked_on', '>=', filter.bookedOn.gte);
      if (filter.bookedOn?.lte) query.where('booked_on', '<=', filter.bookedOn.lte);
      if (filter.amount?.gte !== undefined) query.where('amount', '>=', String(filter.amount.gte));
      if (filter.amount?.lte !== undefined) query.where('amount', '<=', String(filter.amount.lte));
      return query;
    },
  };
  const { rows, ...end } = await walkOf<object>(db, { ...list, created: {} }, page);
  return { rows: rows.map(bankLines.fromRow), ...end };
}

/** What the kept lines of a statement come to. Index: bank_lines_by_statement. */
export async function sumLines(db: Queryable, bookId: BookId, statementId: Uuid): Promise<bigint> {
  const { rows } = await db.query<{ sum: bigint }>(
    'SELECT COALESCE(sum(amount), 0)::bigint AS sum FROM bank_lines WHERE book_id = $1 AND statement_id = $2 AND place > 0',
    [bookId, statementId],
  );
  return rows[0]!.sum;
}

interface Turned {
  readonly bookId: BookId;
  readonly statementId: Uuid;
  /** How many it has. */
  readonly lines: number;
  /** What they are to come to. */
  readonly moved: bigint;
}

/**
 * Turns the reversals among the kept lines of a held statement where all of them come to what they are to then. Resolves to whether they do, by this
 * call or by one before. The statement's row is locked: nobody keeps more of its lines meanwhile, or decides about it. Index: bank_lines_by_statement.
 */
export async function turnReversals(trx: Transaction, { bookId, statementId, lines, moved }: Turned): Promise<boolean> {
  const { rowCount } = await trx.query(
    `SELECT FROM bank_statements WHERE book_id = $1 AND id = $2 AND status = 'held' AND NOT released AND decision IS NULL FOR NO KEY UPDATE`,
    [bookId, statementId],
  );
  if (rowCount === 0) return false;
  const { rows } = await trx.query<{ kept: bigint; sum: bigint; reversed: bigint }>(
    `SELECT count(*) AS kept, COALESCE(sum(amount), 0)::bigint AS sum,
       COALESCE(sum(amount) FILTER (WHERE is_reversal), 0)::bigint AS reversed
     FROM bank_lines WHERE book_id = $1 AND statement_id = $2`,
    [bookId, statementId],
  );
  const [{ kept, sum, reversed }] = rows as [{ kept: bigint; sum: bigint; reversed: bigint }];
  if (Number(kept) !== lines) return false;
  if (sum === moved) return true;
  if (sum - 2n * reversed !== moved) return false;
  await trx.query(
    `UPDATE bank_lines SET amount = -amount, details = (
       SELECT COALESCE(jsonb_agg(one || jsonb_build_object('amount', (-(one ->> 'amount')::bigint)::text) ORDER BY place), '[]')
       FROM jsonb_array_elements(details) WITH ORDINALITY AS of (one, place))
     WHERE book_id = $1 AND statement_id = $2 AND is_reversal AND status = 'pending'`,
    [bookId, statementId],
  );
  return true;
}

/** A page of the lines of a statement, newest first. Their ids are in the order of their places. Index: bank_lines_pkey. */
export function listLinesOf(
  db: Queryable,
  { bookId, statementId }: { bookId: BookId; statementId: Uuid },
  page: PageRequest,
): Promise<Page<BankLine>> {
  const owner = { statement_id: statementId };
  return listRows(
    db,
    { table: bankLines },
    { bookId, owner, filter: { among: { statement_id: [statementId] } }, page },
  );
}

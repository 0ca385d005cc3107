/** Bank statements with what their posted lines come to, and with their entries. */
import { plainArray } from '../../../db/columns.ts';
import type { Pool } from '../../../db/pool.ts';
import { inSnapshot } from '../../../db/snapshot.ts';
import { type BookedStep, readStepsOf } from '../../../group/steps-store.ts';
import type { BookId } from '../../../ledger/book/book.ts';
import type { Uuid } from '../../../values/ids.ts';
import type { BankAccount } from '../../accounts/bank-account.ts';
import { bankAccounts } from '../../accounts/bank-account-table.ts';
import type { BankStatement } from '../bank-statement.ts';
import { bankStatements } from '../bank-statement-table.ts';

export interface PostedLines {
  readonly count: number;
  readonly credits: bigint;
  readonly debits: bigint;
  /** Of their entries, each once. */
  readonly entryIds: readonly Uuid[];
}

export interface StatementHistory {
  readonly statement: BankStatement;
  readonly account: BankAccount | null;
  readonly lines: PostedLines;
  readonly entries: readonly BookedStep[];
}

type Page = { after: Uuid | undefined; limit: number };
/** Lines of one page of statements: one may have a million. */
const LINES_OF_PAGE = 20_000;

/**
 * As many statements as have LINES_OF_PAGE lines together, one at least: the page is short then, and a page of nothing ends the list.
 * Indexes: bank_statements_pkey, bank_lines_by_statement, entries' (book, resource, step).
 */
export function readStatementHistories(
  pool: Pool,
  bookId: BookId,
  { after, limit }: Page,
): Promise<StatementHistory[]> {
  const which = `SELECT * FROM (
    SELECT *, COALESCE(sum(lines) OVER (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS before
    FROM (SELECT * FROM bank_statements
      WHERE book_id = $1 AND id > COALESCE($2::uuid, '00000000-0000-0000-0000-000000000000') ORDER BY id LIMIT $3) AS page
  ) AS counted WHERE before < ${LINES_OF_PAGE}`;
  return histories(pool, bookId, { which, values: [after ?? null, limit] });
}

/** By id. Ids of other resources are skipped. Indexes: as above. */
export function readStatementHistoriesById(
  pool: Pool,
  bookId: BookId,
  ids: readonly Uuid[],
): Promise<StatementHistory[]> {
  const which = 'SELECT * FROM bank_statements WHERE book_id = $1 AND id = ANY ($2::uuid[])';
  return histories(pool, bookId, { which, values: [plainArray(ids)] });
}

interface LineRow {
  readonly count: bigint;
  readonly credits: bigint;
  readonly debits: bigint;
  readonly entry_ids: Uuid[] | null;
}

function histories(
  pool: Pool,
  bookId: BookId,
  { which, values }: { which: string; values: readonly unknown[] },
): Promise<StatementHistory[]> {
  return inSnapshot(pool, async (trx) => {
    const { rows } = await trx.query<LineRow>(
      `SELECT ${bankStatements.selected('s')}, l.count, l.credits, l.debits, l.entry_ids FROM (${which}) AS s
       CROSS JOIN LATERAL (SELECT count(*) AS count, COALESCE(sum(amount) FILTER (WHERE amount > 0), 0)::bigint AS credits,
         COALESCE(-sum(amount) FILTER (WHERE amount < 0), 0)::bigint AS debits, array_agg(DISTINCT entry_id::text) FILTER (WHERE entry_id IS NOT NULL) AS entry_ids
         FROM bank_lines WHERE book_id = $1 AND statement_id = s.id AND status <> 'pending') AS l ORDER BY s.id`,
      [bookId, ...values],
    );
    const found = rows.map((row) => ({ row, statement: bankStatements.fromRow(row) }));
    const ids = found.map(({ statement }) => statement.id);
    const accountIds = found.flatMap(({ statement: { bankAccountId } }) =>
      bankAccountId === null ? [] : [bankAccountId],
    );
    const accounts = await bankAccounts.load(trx, bookId, [...new Set(accountIds)]);
    const steps = await readStepsOf(trx, bookId, ids);
    return found.map(({ row, statement }) => ({
      statement,
      account: statement.bankAccountId === null ? null : (accounts.get(statement.bankAccountId) ?? null),
      lines: { count: Number(row.count), credits: row.credits, debits: row.debits, entryIds: row.entry_ids ?? [] },
      entries: steps.get(statement.id) ?? [],
    }));
  });
}

/** The rows of runs. */
import { plainArray } from '../../db/columns.ts';
import { column, HEX_OR_NULL } from '../../db/declared-columns.ts';
import type { Page, PageRequest } from '../../db/page.ts';
import type { Queryable } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import { StaleRead } from '../../ledger/commit/stale-read.ts';
import { listRows } from '../../ledger/resources/list-rows.ts';
import { WRITE_ORDER } from '../../ledger/rows/table.ts';
import { tableOf } from '../../ledger/rows/table-of.ts';
import { BEFORE_ALL_IDS, type Uuid } from '../../values/ids.ts';
import type { Reconciliation, ReconciliationStatus } from './reconciliation.ts';

export const reconciliations = tableOf<Reconciliation>({
  name: 'reconciliations',
  key: 'id',
  writeOrder: WRITE_ORDER.resources,
  columns: [
    column('id', 'uuid'),
    column('status', 'code', { changes: true }),
    column('bank_account_id', 'uuid'),
    column('profile_id', 'uuid'),
    column('compared_account_id', 'uuid'),
    column('sha256', 'bytea', { codec: HEX_OR_NULL }),
    column('name', 'text', { notPersonal: 'own_reference', cardNumber: 'masked' }),
    column('format', 'code'),
    // Lists count the bytes of a page under that name.
    column('file_bytes', 'bigint', { property: 'bytes' }),
    column('statements', 'integer', { changes: true }),
    column('known', 'integer', { changes: true }),
    column('lines', 'integer', { changes: true }),
    column('matched', 'integer', { changes: true }),
    column('by_rule', 'jsonb', { notPersonal: 'facts', changes: true }),
    column('open_lines', 'integer', { changes: true }),
    column('proposed', 'integer', { changes: true }),
    column('findings', 'jsonb', { notPersonal: 'facts', cardNumber: 'exempt', changes: true }),
    column('findings_total', 'integer', { changes: true }),
    // POSITION is a word of SQL.
    column('positions', 'jsonb', { property: 'position', notPersonal: 'facts', changes: true }),
    column('through', 'code'),
    column('rules_version', 'integer', { changes: true }),
    column('mirrored_through', 'bigint', { changes: true }),
    column('digest', 'bytea', { codec: HEX_OR_NULL, changes: true }),
    column('failure', 'text', { notPersonal: 'own_words', cardNumber: 'exempt', changes: true }),
    column('progress_bytes', 'bigint', { changes: true }),
    column('progress_lines', 'integer', { changes: true }),
    column('request_id', 'uuid'),
    column('version', 'integer', { changes: true }),
    column('due_at', 'timestamptz', { changes: true }),
    column('created_at', 'timestamptz'),
    column('updated_at', 'timestamptz', { changes: true }),
  ],
});

/** A page of runs, newest first. Index: reconciliations_pkey. */
export function listReconciliations(
  db: Queryable,
  { bookId, statuses }: { bookId: BookId; statuses: readonly ReconciliationStatus[] | undefined },
  page: PageRequest,
): Promise<Page<Reconciliation>> {
  return listRows(db, { table: reconciliations }, { bookId, filter: { equal: { status: statuses } }, page });
}

/** What makes a run the same: bytes, for CSV the account and the profile by which it is read, and the account that is compared. */
export interface RunKey extends Pick<Reconciliation, 'bankAccountId' | 'profileId' | 'comparedAccountId'> {
  readonly sha256: string;
}

/** The run of a file, unless it failed. Index: reconciliations_by_sha256. */
export async function findRun(
  db: Queryable,
  bookId: BookId,
  { sha256, bankAccountId, profileId, comparedAccountId }: RunKey,
): Promise<Reconciliation | undefined> {
  const { rows } = await db.query(
    `SELECT ${reconciliations.selected()} FROM reconciliations WHERE book_id = $1 AND sha256 = $2 AND status <> 'failed'
       AND COALESCE(bank_account_id, '${BEFORE_ALL_IDS}') = $3 AND COALESCE(profile_id, '${BEFORE_ALL_IDS}') = $4
       AND COALESCE(compared_account_id, '${BEFORE_ALL_IDS}') = $5`,
    [
      bookId,
      Buffer.from(sha256, 'hex'),
      ...[bankAccountId, profileId, comparedAccountId].map((id) => id ?? BEFORE_ALL_IDS),
    ],
  );
  return rows[0] && reconciliations.fromRow(rows[0]);
}

/**
 * By bank account, a run over all that is open of it that nobody has begun. One that a bug has stopped does not count. Index: reconciliations_due_by_book.
 */
export async function findPendingMatchings(
  db: Queryable,
  bookId: BookId,
  bankAccountIds: readonly Uuid[],
): Promise<Map<Uuid, Uuid>> {
  const { rows } = await db.query<{ id: Uuid; bank_account_id: Uuid }>({
    name: 'reconciliations.pending_matchings',
    text: `SELECT id, bank_account_id FROM reconciliations
      WHERE status = 'pending' AND book_id = $1 AND due_at IS NOT NULL AND stuck_at IS NULL
        AND bank_account_id = ANY ($2::uuid[]) AND sha256 IS NULL AND through IS NULL`,
    values: [bookId, plainArray(bankAccountIds)],
  });
  return new Map(rows.map(({ id, bank_account_id: of }) => [of, id]));
}

/** Throws StaleRead where a command was refused for the run that another process has begun of the same bytes meanwhile; else throws `error`. */
export function throwRunMeanwhile(error: unknown): never {
  if ((error as { constraint?: unknown }).constraint !== 'reconciliations_by_sha256') throw error;
  throw new StaleRead('Another process has begun a run of the same file.');
}

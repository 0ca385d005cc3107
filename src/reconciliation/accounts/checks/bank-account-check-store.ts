/** Bank accounts with what their statements posted, and with their entries. */
import { plainArray } from '../../../db/columns.ts';
import type { Pool } from '../../../db/pool.ts';
import { inSnapshot } from '../../../db/snapshot.ts';
import { type BookedStep, readStepsOf } from '../../../group/steps-store.ts';
import type { BookId } from '../../../ledger/book/book.ts';
import type { Uuid } from '../../../values/ids.ts';
import type { BankAccount } from '../bank-account.ts';
import { bankAccounts } from '../bank-account-table.ts';

export interface BankAccountHistory {
  readonly account: BankAccount;
  /** Credits less debits of its statements. */
  readonly posted: bigint;
  /** Statements that are released and not posted. */
  readonly underWay: number;
  /** The last day of those that are released and state balances. */
  readonly chainedOn: string | null;
  /** What stands on its account of the ledger. */
  readonly ledger: bigint;
  readonly entries: readonly BookedStep[];
}

/** Indexes: bank_accounts_pkey, bank_statements_by_account, bank_statements_released, bank_statements_by_day, accounts_pkey, entries' (book, resource, step). */
export function readBankAccountHistories(
  pool: Pool,
  bookId: BookId,
  { after, limit }: { after: Uuid | undefined; limit: number },
): Promise<BankAccountHistory[]> {
  const which = "book_id = $1 AND id > COALESCE($2::uuid, '00000000-0000-0000-0000-000000000000') ORDER BY id LIMIT $3";
  return histories(pool, bookId, { which, values: [after ?? null, limit] });
}

/** By id. Ids of other resources are skipped. Indexes: as above. */
export function readBankAccountHistoriesById(
  pool: Pool,
  bookId: BookId,
  ids: readonly Uuid[],
): Promise<BankAccountHistory[]> {
  return histories(pool, bookId, { which: 'book_id = $1 AND id = ANY ($2::uuid[])', values: [plainArray(ids)] });
}

interface Counted {
  readonly posted: bigint;
  readonly statements_under_way: bigint;
  readonly chained_to: string | null;
  readonly ledger: bigint | null;
}

function histories(
  pool: Pool,
  bookId: BookId,
  { which, values }: { which: string; values: readonly unknown[] },
): Promise<BankAccountHistory[]> {
  return inSnapshot(pool, async (trx) => {
    const { rows } = await trx.query<Counted>(
      `SELECT ${bankAccounts.selected('b')}, a.posted_debits - a.posted_credits AS ledger, COALESCE((
         SELECT sum(s.booked_credits - s.booked_debits)::bigint FROM bank_statements s
         WHERE s.book_id = $1 AND s.bank_account_id = b.id), 0) AS posted,
         (SELECT count(*) FROM bank_statements s
           WHERE s.book_id = $1 AND s.bank_account_id = b.id AND s.released AND s.status IN ('received', 'held')) AS statements_under_way,
         (SELECT max(s.to_on) FROM bank_statements s
           WHERE s.book_id = $1 AND s.bank_account_id = b.id AND s.released AND s.closing IS NOT NULL) AS chained_to
       FROM (SELECT * FROM bank_accounts WHERE ${which}) AS b
       LEFT JOIN accounts a ON a.book_id = $1 AND a.id = b.ledger_account_id ORDER BY b.id`,
      [bookId, ...values],
    );
    const found = rows.map((row) => ({
      account: bankAccounts.fromRow(row),
      posted: row.posted,
      underWay: Number(row.statements_under_way),
      chainedOn: row.chained_to,
      ledger: row.ledger ?? 0n,
    }));
    const steps = await readStepsOf(
      trx,
      bookId,
      found.map(({ account }) => account.id),
    );
    return found.map((one) => ({ ...one, entries: steps.get(one.account.id) ?? [] }));
  });
}

/** Matches with their entries, and with what their lines state of them. */
import { plainArray } from '../../../db/columns.ts';
import type { Pool } from '../../../db/pool.ts';
import { inSnapshot } from '../../../db/snapshot.ts';
import { type BookedStep, readStepsOf } from '../../../group/steps-store.ts';
import type { BookId } from '../../../ledger/book/book.ts';
import type { Uuid } from '../../../values/ids.ts';
import type { BankLine } from '../../lines/bank-line.ts';
import { bankLines } from '../../lines/bank-line-table.ts';
import type { BankMatch } from '../bank-match.ts';
import { bankMatches } from '../bank-match-table.ts';

export interface MatchHistory {
  readonly bookId: BookId;
  readonly match: BankMatch;
  readonly entries: readonly BookedStep[];
  /** Its own, as far as they exist. */
  readonly lines: readonly BankLine[];
}

/** A page of matches. Indexes: bank_matches_pkey, bank_lines_pkey, entries' (book, resource, step). */
export function readMatchHistories(
  pool: Pool,
  bookId: BookId,
  { after, limit }: { after: Uuid | undefined; limit: number },
): Promise<MatchHistory[]> {
  const where = `id > COALESCE($2::uuid, '00000000-0000-0000-0000-000000000000') ORDER BY id LIMIT $3`;
  return histories(pool, bookId, { where, values: [after ?? null, limit] });
}

/** By id. Ids of other resources are skipped. Indexes: as above. */
export function readMatchHistoriesById(pool: Pool, bookId: BookId, ids: readonly Uuid[]): Promise<MatchHistory[]> {
  return histories(pool, bookId, { where: 'id = ANY ($2::uuid[])', values: [plainArray(ids)] });
}

function histories(
  pool: Pool,
  bookId: BookId,
  { where, values }: { where: string; values: readonly unknown[] },
): Promise<MatchHistory[]> {
  return inSnapshot(pool, async (trx) => {
    const { rows } = await trx.query(
      `SELECT ${bankMatches.selected()} FROM bank_matches WHERE book_id = $1 AND ${where}`,
      [bookId, ...values],
    );
    const matches = rows.map(bankMatches.fromRow);
    const lineIds = matches.flatMap(({ lines }) => lines.map(({ id }) => id));
    const lines = await bankLines.load(trx, bookId, [...new Set(lineIds)]);
    const steps = await readStepsOf(
      trx,
      bookId,
      matches.map(({ id }) => id),
    );
    return matches.map((match) => ({
      ...{ bookId, match },
      entries: steps.get(match.id) ?? [],
      lines: match.lines.flatMap(({ id }) => lines.get(id) ?? []),
    }));
  });
}

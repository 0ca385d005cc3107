/** The lines of an account: its side of every posting that touched it. */

import { cursorInvalid } from '../db/cursor.ts';
import { build, keyset, type Page, type PageRequest, pageOf, runBuilt } from '../db/page.ts';
import type { Queryable } from '../db/pool.ts';
import type { Instant } from '../values/clock.ts';
import type { Uuid } from '../values/ids.ts';
import type { BookId } from './book.ts';

/** One line of an account: the account's side of a posting, and the balance after the line. */
export interface AccountLine {
  readonly line: bigint;
  readonly direction: 'debit' | 'credit';
  readonly amount: bigint;
  readonly currency: string;
  readonly balanceAfter: bigint;
  readonly counterAccountId: Uuid;
  readonly entryId: Uuid;
  readonly resource: string;
  readonly resourceId: Uuid;
  readonly step: string;
  readonly postedAt: Instant;
  readonly effectiveAt: Instant;
}

interface AccountLineRow {
  line: bigint;
  direction: 'debit' | 'credit';
  amount: bigint;
  currency: string;
  balance_after: bigint;
  counter_account_id: string;
  entry_id: string;
  resource: string;
  resource_id: string;
  step: string;
  posted_at: Instant;
  effective_at: Instant;
}

/**
 * A page of an account's lines, newest first; the cursor is the gapless line number. Each side has its own index (book,
 * account, line). Each index is read for one page at most, then the two are merged. Throws ApiError `cursor_invalid` for a line that the
 * account does not have.
 */
export async function listAccountLines(
  db: Queryable,
  bookId: BookId,
  accountId: Uuid,
  page: PageRequest,
): Promise<Page<AccountLine>> {
  await requireLine(db, { bookId, accountId }, page);
  const side = (direction: 'debit' | 'credit') => {
    const counter = direction === 'debit' ? 'credit' : 'debit';
    const query = build('postings')
      .select(
        build.raw(`${direction}_line AS line, '${direction}' AS direction, amount, currency, ${direction}_balance_after AS balance_after,
          ${counter}_account_id AS counter_account_id, entry_sequence`),
      )
      .where('book_id', bookId)
      .where(`${direction}_account_id`, accountId);
    return keyset(query, page, `${direction}_line`);
  };
  const merged = keyset(build.from(build.unionAll([side('debit'), side('credit')], true).as('sides')), page, 'line');
  const query = build
    .select(
      build.raw(
        'l.line, l.direction, l.amount, l.currency, l.balance_after, l.counter_account_id, e.id AS entry_id, e.resource, e.resource_id, e.step, e.posted_at, e.effective_at',
      ),
    )
    .from(merged.as('l'))
    .joinRaw('JOIN entries e ON e.book_id = ? AND e.sequence = l.entry_sequence', [bookId])
    .orderBy('l.line', page.endingBefore === undefined ? 'desc' : 'asc');
  const rows = await runBuilt<AccountLineRow>(db, query);
  return pageOf(
    rows.map((row) => ({
      line: row.line,
      direction: row.direction,
      amount: row.amount,
      currency: row.currency,
      balanceAfter: row.balance_after,
      counterAccountId: row.counter_account_id,
      entryId: row.entry_id,
      resource: row.resource,
      resourceId: row.resource_id,
      step: row.step,
      postedAt: row.posted_at,
      effectiveAt: row.effective_at,
    })),
    page,
  );
}

/** A line is on one of the two sides. Indexes: as above. */
async function requireLine(
  db: Queryable,
  { bookId, accountId }: { bookId: BookId; accountId: Uuid },
  page: PageRequest,
): Promise<void> {
  const line = page.startingAfter ?? page.endingBefore;
  if (line === undefined) return;
  const { rows } = await db.query<{ known: boolean }>({
    name: 'postings.line',
    text: `SELECT EXISTS (SELECT FROM postings WHERE book_id = $1 AND debit_account_id = $2 AND debit_line = $3)
      OR EXISTS (SELECT FROM postings WHERE book_id = $1 AND credit_account_id = $2 AND credit_line = $3) AS known`,
    values: [bookId, accountId, line],
  });
  if (!rows[0]!.known) throw cursorInvalid(page, `The account has no line ${line}.`);
}

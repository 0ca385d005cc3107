/** Statements without a wait: the day of an account's next one was yesterday. */

import { statementMaking } from '../../src/accounts/statements/make-statements.ts';
import { addDays, dayOf } from '../../src/calendar/day.ts';
import type { Pool } from '../../src/db/pool.ts';
import type { Committer } from '../../src/ledger/commit/committer.ts';
import type { Uuid } from '../../src/values/ids.ts';

interface Where {
  readonly pool: Pool;
  readonly committer: Pick<Committer, 'submit'>;
  readonly bookId: Uuid;
}

/** The account has a daily schedule, and its book the time zone UTC and the time of the world. */
export async function makeStatement({ pool, committer, bookId }: Where, accountId: Uuid): Promise<void> {
  const today = dayOf(Date.now(), 'UTC');
  await pool.query(
    `UPDATE statement_schedules SET from_day = $3, to_day = $3, ends_at = $4, due_at = $4 WHERE book_id = $1 AND account_id = $2`,
    [bookId, accountId, addDays(today, -1), new Date(`${today}T00:00:00Z`)],
  );
  await committer.submit(bookId, await statementMaking.command(pool, bookId, [accountId], undefined as never));
}

/** Posts the lines of a released statement, command by command. */
import type { Pool } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Committer } from '../../ledger/commit/committer.ts';
import { encodeActor } from '../../values/actor.ts';
import { further } from '../../values/progress.ts';
import { bankAccounts } from '../accounts/bank-account-table.ts';
import { listStatementLines, readProgress } from '../lines/bank-line-store.ts';
import type { BankStatement } from '../statements/bank-statement.ts';
import { LINES_PER_COMMAND, postLines } from '../statements/post-lines.ts';

/** Who takes files. */
export const IMPORT_ACTOR = encodeActor({ type: 'system', part: 'reconciliation' });

export interface PostRuntime {
  readonly pool: Pool;
  readonly committer: Pick<Committer, 'submit'>;
}

interface PostStatement {
  readonly bookId: BookId;
  readonly statement: BankStatement;
  readonly actor: string;
}

/** Killed and called again, it goes on behind the last line that is posted. */
export async function postStatement(
  { pool, committer }: PostRuntime,
  { bookId, statement, actor }: PostStatement,
): Promise<BankStatement> {
  const account = (await bankAccounts.find(pool, bookId, statement.bankAccountId!))!;
  let { postedTo } = await readProgress(pool, bookId, statement.id);
  let now = statement;
  while (isUnderWay(now)) {
    const lines = await listStatementLines(pool, bookId, {
      statementId: now.id,
      behind: postedTo,
      limit: LINES_PER_COMMAND,
    });
    const command = postLines({ bookId, statement: now, account, behind: now.bookedLines, lines, actor });
    const next: BankStatement = await committer.submit(bookId, command);
    if (isUnderWay(next)) further(`Statement ${now.id}`, now.bookedLines, next.bookedLines);
    // Another process may be posting it too. Read behind the statement, the place is never before what it counts.
    const isAlone = next.bookedLines === now.bookedLines + lines.length;
    postedTo = isAlone ? (lines.at(-1)?.place ?? postedTo) : (await readProgress(pool, bookId, statement.id)).postedTo;
    now = next;
  }
  return now;
}

/** Its lines are to be posted, and some are not. */
export function isUnderWay({ released, status }: Pick<BankStatement, 'released' | 'status'>): boolean {
  return released && (status === 'received' || status === 'held');
}

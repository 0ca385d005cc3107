/**
 * Reads a stored statement with its lines. They never change, so their digest is the stored one; if it is not, no file
 * is made.
 */
import { startOfDay } from '../../calendar/day.ts';
import type { Account } from '../../ledger/account/account.ts';
import type { BookId } from '../../ledger/book/book.ts';
import { loadBook } from '../../ledger/book/book-store.ts';
import { endOfDay } from '../../ledger/clock/finish-day.ts';
import { publicId } from '../../values/ids.ts';
import { type StatementRuntime, sumStatement } from './read-statement.ts';
import type { Statement, StatementHead } from './statement.ts';
import type { StoredStatement } from './stored-statement.ts';

interface Kept {
  readonly bookId: BookId;
  readonly kept: StoredStatement;
  readonly account: Account;
  readonly accountName: string | null;
}

/** `sum` reads the lines. Throws where they do not lead to the digest that was kept. */
export async function readKept(
  runtime: StatementRuntime,
  { bookId, kept, account, accountName }: Kept,
): Promise<{ readonly head: StatementHead; sum(): Promise<Statement> }> {
  const book = (await loadBook(runtime.pool, bookId))!;
  const { number, from, to, afterLine, throughLine, opening, closing } = kept;
  const head: StatementHead = {
    ...{ bookId, mode: book.mode, account, accountName, number, timeZone: book.timeZone, from, to },
    ...{ begins: startOfDay(from, book.timeZone), ends: endOfDay(to, book), interim: false },
    ...{ afterLine, throughLine, opening, closing },
  };
  return {
    head,
    async sum() {
      const statement = await sumStatement(runtime, head);
      if (statement.digest === kept.digest) return statement;
      throw new Error(
        `The lines of ${publicId('statement', kept.id)} lead to ${statement.digest}, not to ${kept.digest}`,
      );
    },
  };
}

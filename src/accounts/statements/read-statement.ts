/**
 * Reads a statement: its days are finished first, then its lines are added up a page at a time, and read again for its form. Lines up to the
 * last one never change, so the pages need no common snapshot.
 */
import { dayOf, startOfDay } from '../../calendar/day.ts';
import type { ListReads } from '../../db/list-reads.ts';
import type { Pool, Queryable } from '../../db/pool.ts';
import { ApiError } from '../../errors/errors.ts';
import { type AccountLine, readAccountLines } from '../../ledger/account/account-line-store.ts';
import { accounts } from '../../ledger/account/account-table.ts';
import { findBalanceAt } from '../../ledger/balances/balance-at-store.ts';
import type { Book, BookId } from '../../ledger/book/book.ts';
import { loadBook } from '../../ledger/book/book-store.ts';
import { endOfDay, finishDay, isFinished } from '../../ledger/clock/finish-day.ts';
import { momentOf } from '../../ledger/commit/batch.ts';
import type { Committer } from '../../ledger/commit/committer.ts';
import type { LineText } from '../../ledger/resources/line-text.ts';
import type { ReadLineTexts } from '../../ledger/resources/line-text-store.ts';
import type { Clock } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';
import { further } from '../../values/progress.ts';
import { type ShownLine, withDays, withTexts } from '../lines/account-line-view.ts';
import { type LinePages, type Statement, type StatementDays, type StatementHead, StatementSum } from './statement.ts';

export interface StatementRuntime {
  readonly pool: Pool;
  readonly lists: ListReads;
  readonly lineTexts: ReadLineTexts;
  readonly committer: Pick<Committer, 'submit'>;
  readonly clock: Clock;
}

export interface AskedStatement extends StatementDays {
  readonly bookId: BookId;
  readonly accountId: Uuid;
  readonly accountName: string | null;
  readonly requestId: Uuid;
}

/** Lines that are read at once: some milliseconds, some hundred kilobytes. */
const LINES_PER_PAGE = 1_000;
const NO_TEXT: LineText = { externalId: null, endToEndId: null, counterparty: null, description: null };

/** Days and balances, before any line is read. Throws ApiError `parameter_invalid` for days that are out of order or have not begun. */
export async function openStatement(runtime: StatementRuntime, asked: AskedStatement): Promise<StatementHead> {
  const { bookId, accountId, accountName, from, to } = asked;
  if (from > to)
    throw new ApiError('parameter_invalid', { param: 'to', detail: 'Expects a day that is not before `from`.' });
  const book = (await loadBook(runtime.pool, bookId))!;
  const interim = !(await finish(runtime, book, asked));
  const [begins, ends] = [startOfDay(from, book.timeZone), endOfDay(to, book)];
  return runtime.lists.read(bookId, async (db) => {
    // Read with the balances, in one snapshot.
    const account = (await accounts.find(db, bookId, accountId))!;
    const before = await findBalanceAt(db, bookId, account, begins - 1);
    const through = await findBalanceAt(db, bookId, account, ends - 1);
    return {
      ...{ bookId, mode: book.mode, account, accountName, timeZone: book.timeZone, from, to, begins, ends, interim },
      ...{
        number: null,
        afterLine: before.line,
        throughLine: through.line,
        opening: before.posted,
        closing: through.posted,
      },
    };
  });
}

/** Whether the last day is finished, so that no line of it can come. */
async function finish(
  { clock, committer }: StatementRuntime,
  book: Book,
  { to, requestId }: AskedStatement,
): Promise<boolean> {
  if (isFinished(to, book)) return true;
  const today = dayOf(momentOf(clock, book).book, book.timeZone);
  if (to > today)
    throw new ApiError('parameter_invalid', {
      param: 'to',
      detail: `Expects a day that has begun; today is ${today}.`,
    });
  return to < today && (await committer.submit(book.id, finishDay({ day: to, requestId })));
}

/** Adds up the lines. */
export async function sumStatement(runtime: Pick<StatementRuntime, 'lists'>, head: StatementHead): Promise<Statement> {
  const sum = new StatementSum(head);
  const pages = pagesOf(runtime, head, (lines) => lines.map((line) => withDays({ ...line, ...NO_TEXT }, head)));
  for await (const page of pages) for (const line of page) sum.add(line);
  return sum.end();
}

/** The lines with the texts of their resources. */
export function statementLines(runtime: Pick<StatementRuntime, 'lists' | 'lineTexts'>, head: StatementHead): LinePages {
  const book = { id: head.bookId, timeZone: head.timeZone };
  return pagesOf(runtime, head, (lines, db) => withTexts(runtime.lineTexts, { db, book }, lines));
}

async function* pagesOf(
  { lists }: Pick<StatementRuntime, 'lists'>,
  { bookId, account, afterLine, throughLine }: StatementHead,
  shown: (lines: readonly AccountLine[], db: Queryable) => ShownLine[] | Promise<ShownLine[]>,
): AsyncGenerator<readonly ShownLine[]> {
  for (let after = afterLine; after < throughLine; ) {
    const range = { after, upTo: throughLine, limit: LINES_PER_PAGE };
    const page = await lists.read(bookId, async (db) =>
      shown(await readAccountLines(db, bookId, account.id, range), db),
    );
    if (page.length === 0) throw new Error(`Account ${account.id} has no line after ${after}, of ${throughLine}`);
    yield page;
    after = further('the lines of a statement', after, page.at(-1)!.line);
  }
}

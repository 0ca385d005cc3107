/** The balance of an account at the end of a day of the book, posted or by effect. */
import { readList } from '../../../api/pages.ts';
import type { RouteRequest } from '../../../api/route.ts';
import { dayOf } from '../../../calendar/day.ts';
import { ApiError } from '../../../errors/errors.ts';
import { accounts } from '../../../ledger/account/account-table.ts';
import { findBalanceAt } from '../../../ledger/balances/balance-at-store.ts';
import { loadEffectiveChanges } from '../../../ledger/balances/balances-at.ts';
import type { Book } from '../../../ledger/book/book.ts';
import { loadBook } from '../../../ledger/book/book-store.ts';
import { endOfDay, finishDay, isFinished } from '../../../ledger/clock/finish-day.ts';
import { momentOf } from '../../../ledger/commit/batch.ts';
import type { Uuid } from '../../../values/ids.ts';
import type { Axis } from './account-schemas.ts';

interface OfDay {
  /** Of the last line that counts. Null by effect: lines count in another order than that of their numbers. */
  readonly sequence: bigint | null;
  readonly posted: bigint;
}

/** A day that is over is finished first, so that the answer stays as it is. Throws ApiError for a day that has not begun. */
export async function balanceOfDay(
  request: RouteRequest,
  { accountId, day, axis }: { readonly accountId: Uuid; readonly day: string; readonly axis: Axis },
): Promise<OfDay> {
  const { bookId } = request.principal;
  const book = (await loadBook(request.runtime.pool, bookId))!;
  await finish(request, book, day);
  return readList(request, async (db) => {
    // Read with the lines, in one snapshot: those that came since the account was found count.
    const account = (await accounts.find(db, bookId, accountId))!;
    const { line, posted } = await findBalanceAt(db, bookId, account, endOfDay(day, book) - 1);
    if (axis === 'posted') return { sequence: line, posted };
    const { entrySequence: sequence } = (await loadBook(db, bookId))!;
    const changes = await loadEffectiveChanges(db, bookId, { day, sequence }, [{ id: accountId, line, posted }]);
    return { sequence: null, posted: posted + changes.get(accountId)! };
  });
}

async function finish({ runtime, principal, requestId }: RouteRequest, book: Book, day: string): Promise<void> {
  if (isFinished(day, book)) return;
  const today = dayOf(momentOf(runtime.clock, book).book, book.timeZone);
  if (day > today)
    throw new ApiError('parameter_invalid', {
      param: 'on',
      detail: `Expects a day that has begun; today is ${today}.`,
    });
  if (day < today) await runtime.committer.submit(principal.bookId, finishDay({ day, requestId }));
}

/** Fees of a book that are collected, although none of its days is over. */
import type { Pool } from '../../src/db/pool.ts';
import { chartAccountId } from '../../src/ledger/account/chart.ts';
import type { BookId } from '../../src/ledger/book/book.ts';
import { beginDays } from '../../src/reconciliation/fees/begin-fee-days.ts';
import { collectFees } from '../../src/reconciliation/fees/collect-fees.ts';
import { feeDays } from '../../src/reconciliation/fees/fee-collection-table.ts';
import { type Clock, systemClock } from '../../src/values/clock.ts';
import type { Uuid } from '../../src/values/ids.ts';
import { openBook, type TestBook } from './book.ts';
import { LATEST_FORMS } from './forms.ts';

/** In a currency that has no other fees here. */
const CURRENCY = 'KWD';

/** Collects the fee of a payout. */
export async function collectFeesIn(book: Pick<TestBook, 'id' | 'pool'>, clock: Clock = systemClock): Promise<Uuid> {
  const own = await openBook({ database: book.pool, bookId: book.id, forms: LATEST_FORMS, clock });
  const accountId = await own.account({ currency: CURRENCY, amount: 10_000n });
  const payout = await own.reserve(await own.accept({ accountId, currency: CURRENCY, fee: 1_250n }));
  await own.settle(payout, {});
  const id = await collectNow(own);
  await own.close();
  return id;
}

async function collectNow(book: TestBook): Promise<Uuid> {
  const due = chartAccountId(book.id, 'due_operator', CURRENCY);
  await book.submit(beginDays([due]));
  await book.rows(
    "UPDATE fee_days SET collects_at = collects_at - interval '1 day', collected_on = NULL WHERE book_id = $1 AND id = $2",
    due,
  );
  const known = [...(await feeDays.load(book.pool, book.id, [due])).values()];
  await book.submit(collectFees(book.id, known, new Map([[CURRENCY, 1_600]])));
  const { id } = await book.row<{ id: Uuid }>(
    'SELECT id FROM fee_collections WHERE book_id = $1 ORDER BY id DESC LIMIT 1',
  );
  return id;
}

/** The same in a book of a product that runs. */
export const collectFeesOf = (
  { pool, bookId }: { readonly pool: Pool; readonly bookId: BookId },
  clock?: Clock,
): Promise<Uuid> => collectFeesIn({ id: bookId, pool }, clock);

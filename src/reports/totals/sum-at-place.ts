/** What stands on accounts at a place of the journal, by totals: few blocks, and the entries behind them. */
import type { Queryable } from '../../db/pool.ts';
import type { JournalPlace } from '../../ledger/balances/balances-at.ts';
import { coverOf } from '../../ledger/balances/totals/blocks.ts';
import { readFolded } from '../../ledger/balances/totals/folded-store.ts';
import type { BookId } from '../../ledger/book/book.ts';
import { foldBook } from './fold-totals.ts';
import { type CodeSum, sumBlocks, sumTail } from './totals-store.ts';

/** By currency and code: debits less credits. Blocks that are not folded yet are folded first: entries of less than one block are left to add up. */
export async function sumAtPlace(
  db: Queryable,
  bookId: BookId,
  { sequence, postedThrough, day }: JournalPlace,
): Promise<Map<string, bigint>> {
  const last = day === null ? postedThrough : sequence;
  await foldBook(db, { id: bookId, head: last });
  const { blocks, upTo } = coverOf(last, await readFolded(db, bookId));
  const sums = new Map<string, bigint>();
  const add = (found: readonly CodeSum[]) => {
    for (const { currency, code, onDebit } of found) {
      const key = sumKey({ currency, code });
      sums.set(key, (sums.get(key) ?? 0n) + onDebit);
    }
  };
  add(await sumBlocks(db, bookId, { blocks, day }));
  add(await sumTail(db, bookId, { after: upTo, through: last, day }));
  return sums;
}

export const sumKey = ({ currency, code }: Pick<CodeSum, 'currency' | 'code'>) => `${currency} ${code}`;

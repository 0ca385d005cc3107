/**
 * Returns of payouts that banks show and rails have not reported. Such a line is an exception that proposes the return; once one person has explained
 * it and another has approved, the return is booked here, its mirror makes the item, and the line shows that. A kill in between heals: the line is
 * open until then.
 */

import type { Pool } from '../../db/pool.ts';
import { isEnded } from '../../exceptions/exception.ts';
import { exceptions } from '../../exceptions/exception-table.ts';
import type { ReturnedAtBank } from '../../group/at-bank.ts';
import type { BookId } from '../../ledger/book/book.ts';
import { deriveId, parsePublicId } from '../../values/ids.ts';
import type { ExpectedItem } from '../items/expected-item.ts';
import { expectedItems } from '../items/expected-item-table.ts';
import { type BankLine, openAmount } from '../lines/bank-line.ts';
import { findNamedItems } from '../matches/candidate-store.ts';
import { signedOpen } from '../matches/take-parts.ts';

export interface ReturnsRuntime {
  readonly pool: Pool;
  readonly mirror: (operatorBookId: BookId) => Promise<void>;
  readonly returnAtBank: (returned: ReturnedAtBank) => Promise<void>;
}

/** Of these lines, which are open. */
export async function bookReturns(
  { pool, mirror, returnAtBank }: ReturnsRuntime,
  bookId: BookId,
  lines: readonly BankLine[],
): Promise<void> {
  const able = lines.filter((line) => line.amount > 0n && line.exceptionId !== null);
  if (able.length === 0) return;
  const found = await exceptions.load(pool, bookId, [...new Set(able.map(({ exceptionId }) => exceptionId!))]);
  for (const line of able) {
    const exception = found.get(line.exceptionId!);
    if (exception?.kind !== 'payout_returned_at_bank' || exception.resourceId !== line.id || !isEnded(exception))
      continue;
    const itemId = parsePublicId('expectedItem', exception.proposals[0]?.items[0] ?? '');
    const item = itemId === undefined ? undefined : await expectedItems.find(pool, bookId, itemId);
    if (item?.resource !== 'payout') continue;
    const { id, bankAccountId, bankReference } = line;
    await returnAtBank({
      ...{ ofBook: item.ofBook, payoutId: item.resourceId, amount: openAmount(line), bankLine: id },
      noticeId:
        bankReference === null
          ? deriveId('returned at bank', id)
          : deriveId('returned at bank', bankAccountId!, bankReference, item.resourceId),
      async isReported() {
        await mirror(bookId);
        return isExpected(pool, bookId, { item, amount: openAmount(line) });
      },
    });
  }
}

/** Money of that payout that no line has shown yet, of the amount of the line: its rail has reported the return. */
async function isExpected(
  pool: Pool,
  bookId: BookId,
  { item, amount }: { readonly item: ExpectedItem; readonly amount: bigint },
): Promise<boolean> {
  if (item.endToEndId === null) return false;
  const named = { endToEndIds: [item.endToEndId], references: [], beginnings: [], batchIds: [] };
  const found = await findNamedItems(pool, bookId, named);
  return found.some((one) => one.ofBook === item.ofBook && signedOpen(one) === amount);
}

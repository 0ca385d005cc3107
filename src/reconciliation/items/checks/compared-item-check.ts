/** Checks items of a book's own comparisons: each is a line of its account. */
import type { CheckContext } from '../../../group/check-context.ts';
import type { RowCheck } from '../../../group/row-check.ts';
import { behindNewIds } from '../../../group/until.ts';
import { publicId, type Uuid } from '../../../values/ids.ts';
import { type ComparedItem, readComparedItems } from './compared-item-check-store.ts';

export const comparedItemCheck: RowCheck<ComparedItem, Uuid> = {
  name: 'items of comparisons',
  pageRows: 200,
  read: ({ pool, book }, page) => readComparedItems(pool, book.id, page),
  check: checkComparedItem,
  placeOf: ({ item }, until) => behindNewIds(item.id, until),
};

function checkComparedItem({ report }: CheckContext, { item, line }: ComparedItem): void {
  const textOf = (
    direction: string,
    { amount, currency, entryId }: Pick<typeof item, 'amount' | 'currency' | 'entryId'>,
  ) => `${direction} ${amount} ${currency} by ${publicId('entry', entryId)}`;
  const expected = line === null ? 'no line' : textOf(line.isIn ? 'in' : 'out', line);
  const actual = textOf(item.direction, item);
  if (expected === actual) return;
  report({
    check: 'expected_item.line',
    ids: { expected_item: publicId('expectedItem', item.id), account: publicId('account', item.clearingAccountId) },
    expected,
    actual,
    detail: `The item is not what line ${item.poolLine} of the account states.`,
  });
}

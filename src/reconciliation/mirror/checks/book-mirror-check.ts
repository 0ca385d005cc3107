/**
 * Checks mirrored ranges: they follow each other without a gap, and what each owes to its book is what the lines moved on the pool there. So
 * `pool_owed` is the sum of all pools at their mirrored lines, and nothing has to be added up.
 */
import type { CheckContext } from '../../../group/check-context.ts';
import { equationOf } from '../../../group/equation.ts';
import type { RowCheck } from '../../../group/row-check.ts';
import { behindNewIds } from '../../../group/until.ts';
import { publicId, type Uuid } from '../../../values/ids.ts';
import type { MirroredSide } from '../book-mirror.ts';
import { type MirrorHistory, readMirrorHistories, readMirrorHistoriesById } from './book-mirror-check-store.ts';

const mirrorCheck: RowCheck<MirrorHistory, Uuid> = {
  name: 'mirrored ranges',
  // Up to 400 items each.
  pageRows: 20,
  read: ({ pool, book }, page) => readMirrorHistories(pool, book.id, page),
  readByIds: ({ pool, book }, ids) => readMirrorHistoriesById(pool, book.id, ids),
  check: checkMirror,
  placeOf: ({ mirror }, until) => behindNewIds(mirror.id, until),
};

export const bookMirrorCheck = mirrorCheck;

/** Of those that have one account for all. */
const SIDES = ['unallocated', 'fees', 'tax_payable', 'own_funds', 'credit_losses'] as const;

const net = ({ debits, credits }: MirroredSide) => BigInt(credits) - BigInt(debits);

/** Accounts that are one a party are named by their ids. */
export const bookMirrorEquation = equationOf({
  rows: mirrorCheck,
  resources: ['book_mirror'],
  codes: ['pool_owed', ...SIDES],
  balancesOf: ({ mirror: { id, currency, moneyIn, moneyOut, sides }, entries }) => {
    const isOne = (code: string) => (SIDES as readonly string[]).includes(code);
    const chart = Object.fromEntries(
      SIDES.map((code) => [
        code,
        sides.filter((side) => side.code === code).reduce((sum, side) => sum + net(side), 0n),
      ]),
    ) as Record<(typeof SIDES)[number], bigint>;
    return [
      {
        ...({ resource: 'book_mirror', id, currency, entries } as const),
        chart: { pool_owed: moneyIn - moneyOut, ...chart },
        customers: sides.filter(({ code }) => !isOne(code)).map((side) => [side.accountId, net(side)] as const),
      },
    ];
  },
});

/** Debits less credits. */
function sumOf(sides: readonly MirroredSide[], code: string): bigint {
  return sides.filter((side) => side.code === code).reduce((sum, side) => sum - net(side), 0n);
}

function checkMirror({ report }: CheckContext, history: MirrorHistory): void {
  const { mirror, before, poolBefore, poolAfter, items } = history;
  const ids = { book_mirror: publicId('bookMirror', mirror.id), of_book: publicId('book', mirror.ofBook) };
  if (mirror.fromLine !== before + 1n)
    report({
      check: 'book_mirror.lines',
      ids,
      expected: `lines from ${before + 1n} on`,
      actual: `lines from ${mirror.fromLine} on`,
      detail: 'The range does not follow the one before it: lines of the pool are mirrored twice, or not at all.',
    });
  const expected = poolBefore === null || poolAfter === null ? 'lines that the pool has' : `${poolAfter - poolBefore}`;
  const actual = `${mirror.moneyIn - mirror.moneyOut}`;
  if (expected !== actual || poolAfter !== mirror.poolBalance)
    report({
      check: 'book_mirror.pool',
      ids,
      expected: `${expected} ${mirror.currency}, up to ${poolAfter}`,
      actual: `${actual} ${mirror.currency}, up to ${mirror.poolBalance}`,
      detail: 'What is mirrored is not what the lines moved on the pool of their book.',
    });
  const lost = sumOf(mirror.sides, 'credit_losses');
  if (lost !== history.writtenOff)
    report({
      check: 'book_mirror.written_off',
      ids,
      expected: `${history.writtenOff} ${mirror.currency}`,
      actual: `${lost} ${mirror.currency}`,
      detail: 'What is mirrored as a loss is not what write-offs of the book have booked on these lines.',
    });
  checkItems(history, { report });
  const own = items.length;
  if (own !== mirror.items)
    report({
      check: 'book_mirror.items',
      ids,
      expected: `${mirror.items} items`,
      actual: `${own} items`,
      detail: 'Lines that a bank will show have no expected item, or others have one.',
    });
}

/** Each item is of its line's entry, and what is open of it is a part of it. */
function checkItems({ mirror, items }: MirrorHistory, { report }: Pick<CheckContext, 'report'>): void {
  const [entryId] = mirror.entryIds;
  const strangers = items.filter((item) => item.entryId !== entryId || item.ofBook !== mirror.ofBook);
  if (strangers.length === 0) return;
  report({
    check: 'book_mirror.items',
    ids: {
      book_mirror: publicId('bookMirror', mirror.id),
      expected_item: publicId('expectedItem', strangers[0]!.id),
    },
    expected: 'items of its entry',
    actual: `${strangers.length} items of other entries`,
    detail: 'Items of lines that are mirrored here name another entry or book.',
  });
}

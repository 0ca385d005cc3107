/** Checks that totals of blocks are what their entries come to, and those of larger blocks what the blocks below do. */
import type { CheckContext } from '../../../group/check-context.ts';
import type { RowCheck } from '../../../group/row-check.ts';
import type { Block } from '../../../ledger/balances/totals/blocks.ts';
import { readFolded } from '../../../ledger/balances/totals/folded-store.ts';
import { publicId } from '../../../values/ids.ts';
import { type Difference, findDifference } from '../totals-store.ts';

interface CheckedBlock extends Block {
  readonly difference: Difference | undefined;
}

export const totalsCheck: RowCheck<CheckedBlock, Block> = {
  name: 'totals of blocks',
  pageRows: 10,
  async read({ pool, book }, { after, limit }) {
    const folded = await readFolded(pool, book.id);
    const page: CheckedBlock[] = [];
    for (let level = after?.level ?? 0; level < folded.length; level++) {
      const first = level === after?.level ? after.block + 1n : 0n;
      for (let block = first; block < folded[level]! && page.length < limit; block++) {
        const one = { level, block };
        page.push({ ...one, difference: await findDifference(pool, book.id, one) });
      }
    }
    return page;
  },
  check: checkBlock,
  placeOf: ({ level, block }) => ({ level, block }),
};

function checkBlock({ report }: CheckContext, { level, block, difference }: CheckedBlock): void {
  if (difference === undefined) return;
  const { accountId, effectiveOn, debits, credits, keptDebits, keptCredits } = difference;
  report({
    check: 'journal_totals.block',
    ids: { account: publicId('account', accountId), level: `${level}`, block: `${block}`, day: effectiveOn },
    expected: `${debits} debits, ${credits} credits`,
    actual: `${keptDebits} debits, ${keptCredits} credits`,
    detail: 'The totals of a block of entries are not what its entries come to: reports that add them up fail.',
  });
}

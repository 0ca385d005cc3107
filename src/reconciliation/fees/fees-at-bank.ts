/** What a bank shows of collected fees: nothing. In the operator's book they are its own, and the tax that they contain is owed. */
import type { AtBank, BankMovement } from '../../group/at-bank.ts';
import { feeCollections } from './fee-collection-table.ts';

export const feesAtBank: AtBank = {
  resources: ['fee_collection'],
  async words(db, { bookId }, lines) {
    const found = await feeCollections.load(db, bookId, [...new Set(lines.map(({ resourceId }) => resourceId))]);
    return new Map(
      lines.flatMap((line): [bigint, BankMovement][] => {
        const collection = found.get(line.resourceId);
        if (collection === undefined) return [];
        const [amount, tax] = [magnitude(collection.amount), magnitude(collection.tax)];
        const against = [
          { code: 'fees' as const, amount: amount - tax },
          { code: 'tax_payable' as const, amount: tax },
        ];
        return [[line.line, { against: against.filter((side) => side.amount > 0n), expected: null }]];
      }),
    );
  },
};

const magnitude = (amount: bigint): bigint => (amount < 0n ? -amount : amount);

/** What a bank shows of an acquirer's settlement: nothing by itself. Its report is what is paid, for all books and net of costs. */
import { type AtBank, against, type BankMovement } from '../../group/at-bank.ts';
import { settlements } from '../paydays/settlement-table.ts';

export const settlementsAtBank: AtBank = {
  resources: ['settlement'],
  async words(db, { bookId }, lines) {
    const found = await settlements.load(db, bookId, [...new Set(lines.map(({ resourceId }) => resourceId))]);
    return new Map(
      lines.flatMap((line): [bigint, BankMovement][] => {
        const settlement = found.get(line.resourceId);
        if (settlement === undefined) return [];
        return [[line.line, against(line, { code: 'acquirer_suspense', party: settlement.acquirer }, null)]];
      }),
    );
  },
};

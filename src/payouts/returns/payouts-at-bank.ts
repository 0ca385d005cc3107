/** What a bank shows of payouts and their returns: under the id that we gave them, and in the file that carried them. */
import { type AtBank, against, type BankMovement } from '../../group/at-bank.ts';
import type { AccountLine } from '../../ledger/account/account-line-store.ts';
import { type FiledInstruction, readFiled } from '../../rails/iso20022/bank-instruction-store.ts';
import { type PayoutAtRail, readAtRails } from './payout-at-rail-store.ts';
import { payoutReturns } from './payout-return-table.ts';

export const payoutsAtBank: AtBank = {
  resources: ['payout', 'payout_return'],
  async words(db, of, lines) {
    const returns = lines.filter(({ resource }) => resource === 'payout_return').map(({ resourceId }) => resourceId);
    const returned = await payoutReturns.load(db, of.bookId, [...new Set(returns)]);
    const payoutOf = ({ resource, resourceId }: AccountLine) =>
      resource === 'payout' ? resourceId : returned.get(resourceId)?.payoutId;
    const ids = lines.flatMap((line) => payoutOf(line) ?? []);
    const payouts = await readAtRails(db, of.bookId, [...new Set(ids)]);
    const endToEndIds = [...payouts.values()].map(({ endToEndId }) => endToEndId);
    const filed = await readFiled(db, of.operatorBookId, endToEndIds);
    return new Map(
      lines.flatMap((line): [bigint, BankMovement][] => {
        const payout = payouts.get(payoutOf(line) ?? '');
        return payout === undefined ? [] : [[line.line, wordOf(line, payout, filed.get(payout.endToEndId))]];
      }),
    );
  },
};

/** Money that comes back is in no file of ours, and the bank's reference of the payment is not that of its return. */
function wordOf(
  line: AccountLine,
  { rail, endToEndId, railReference }: PayoutAtRail,
  filed: FiledInstruction | undefined,
): BankMovement {
  const sent = {
    on: filed?.executionDay ?? null,
    bankReference: railReference,
    batchId: filed?.paymentInformationId ?? null,
  };
  const expected = { party: rail, endToEndId, ...(line.direction === 'credit' && sent) };
  return against(line, { code: 'rail_clearing', party: rail }, expected);
}

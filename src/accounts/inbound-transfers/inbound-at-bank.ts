/** What a bank shows of money that arrives: a credit under its own reference, or the payer's. An opening balance no bank shows again. */
import { type AtBank, against, type BankMovement } from '../../group/at-bank.ts';
import { publicId } from '../../values/ids.ts';
import { inboundTransfers } from './inbound-transfer-table.ts';

export const inboundAtBank: AtBank = {
  resources: ['inbound_transfer'],
  async words(db, { bookId }, lines) {
    const found = await inboundTransfers.load(db, bookId, [...new Set(lines.map(({ resourceId }) => resourceId))]);
    return new Map(
      lines.flatMap((line): [bigint, BankMovement][] => {
        const transfer = found.get(line.resourceId);
        if (transfer === undefined) return [];
        const { id, bankReference, endToEndId, openingId } = transfer;
        // It is in the bank's own opening balance, which stands against own funds too.
        if (openingId !== null) return [[line.line, against(line, { code: 'own_funds' }, null)]];
        // Nothing arrives at a bank: the operator bears it.
        if (transfer.writeOffId !== null) return [[line.line, against(line, { code: 'credit_losses' }, null)]];
        // A return is of its own day.
        const on = line.direction === 'debit' ? transfer.bookedOn : null;
        // What is simulated has no reference of a bank: the sandbox's bank states the transfer itself.
        const documentReference = bankReference === null ? publicId('inboundTransfer', id) : null;
        const expected = { party: null, on, bankReference, endToEndId, documentReference };
        return [[line.line, against(line, { code: 'unallocated' }, expected)]];
      }),
    );
  },
};

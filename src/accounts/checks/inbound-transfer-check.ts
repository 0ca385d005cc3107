/** Checks inbound transfers: each is booked once, from the pool to its account. */
import { publicId } from '../../ids.ts';
import { chartAccountId } from '../../ledger/chart.ts';
import type { Check, CheckContext } from '../../checks/check-context.ts';
import { readTransferHistories, type TransferHistory } from '../../payouts/checks/payout-check-store.ts';
import { readAhead } from '../../verify/read-ahead.ts';

const PAGE = 500;

export const inboundTransferCheck: Check = {
  name: 'inbound transfers',
  async run(context) {
    const { pool, book } = context;
    const pages = readAhead<TransferHistory>((last) =>
      readTransferHistories(pool, book.id, { after: last?.id, limit: PAGE }),
    );
    for await (const transfers of pages) for (const transfer of transfers) checkTransfer(context, transfer);
  },
};

export function checkTransfer({ book, report }: CheckContext, transfer: TransferHistory): void {
  const { id, accountId, amount, currency, entries } = transfer;
  const line = (debit: string, credit: string, of: bigint) => `${debit} → ${credit} ${of}`;
  const expected = `received: ${line(chartAccountId(book.id, 'pool', currency), accountId, amount)}`;
  const actual = entries
    .map(({ step, postings }) => {
      const lines = postings.map((posting) => line(posting.debitAccountId, posting.creditAccountId, posting.amount));
      return `${step}: ${lines.join('; ')}`;
    })
    .join(', ');
  if (expected === actual) return;
  report({
    check: 'inbound_transfer.entry',
    ids: { inbound_transfer: publicId('inboundTransfer', id), account: publicId('account', accountId) },
    expected,
    actual: actual || 'no entry',
    detail: 'What was booked is not what arrived.',
  });
}

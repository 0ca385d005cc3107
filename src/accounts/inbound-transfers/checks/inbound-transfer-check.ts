/** Checks inbound transfers: each is booked once, from the pool to its account. */

import type { CheckContext } from '../../../group/check-context.ts';
import { equationOf } from '../../../group/equation.ts';
import type { RowCheck } from '../../../group/row-check.ts';
import { behindNewIds } from '../../../group/until.ts';
import { chartAccountId } from '../../../ledger/account/chart.ts';
import { publicId, type Uuid } from '../../../values/ids.ts';
import {
  readTransferHistories,
  readTransferHistoriesById,
  type TransferHistory,
} from './inbound-transfer-check-store.ts';

export const inboundTransferCheck: RowCheck<TransferHistory, Uuid> = {
  name: 'inbound transfers',
  pageRows: 500,
  read: ({ pool, book }, page) => readTransferHistories(pool, book.id, page),
  readByIds: ({ pool, book }, ids) => readTransferHistoriesById(pool, book.id, ids),
  check: checkTransfer,
  placeOf: ({ id }, until) => behindNewIds(id, until),
};

export const inboundTransferEquation = equationOf({
  rows: inboundTransferCheck,
  resources: ['inbound_transfer'],
  codes: ['pool'],
  // Returned, nothing of it is left.
  balancesOf: ({ id, accountId, amount, currency, status, entries }) => {
    const left = status === 'returned' ? 0n : amount;
    return [
      {
        ...{ resource: 'inbound_transfer', id, currency, entries },
        chart: { pool: -left },
        customers: [[accountId, left]],
      },
    ];
  },
});

function checkTransfer({ book, report }: CheckContext, transfer: TransferHistory): void {
  const { id, accountId, amount, currency, status, entries } = transfer;
  const line = (debit: string, credit: string, of: bigint) => `${debit} → ${credit} ${of}`;
  const pool = chartAccountId(book.id, 'pool', currency);
  const expected = [
    `received: ${line(pool, accountId, amount)}`,
    ...(status === 'returned' ? [`returned: ${line(accountId, pool, amount)}`] : []),
  ].join(', ');
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

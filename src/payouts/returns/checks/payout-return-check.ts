/** Checks returns: each is of a payout, and is booked once, from the pool to the account that the payout left. */

import type { CheckContext } from '../../../group/check-context.ts';
import { equationOf } from '../../../group/equation.ts';
import type { RowCheck } from '../../../group/row-check.ts';
import { behindNewIds } from '../../../group/until.ts';
import { chartAccountId } from '../../../ledger/account/chart.ts';
import { publicId, type Uuid } from '../../../values/ids.ts';
import { type ReturnHistory, readReturnHistories, readReturnHistoriesById } from './payout-return-check-store.ts';

export const payoutReturnCheck: RowCheck<ReturnHistory, Uuid> = {
  name: 'returns of payouts',
  pageRows: 500,
  read: ({ pool, book }, page) => readReturnHistories(pool, book.id, page),
  readByIds: ({ pool, book }, ids) => readReturnHistoriesById(pool, book.id, ids),
  check: checkReturn,
  placeOf: ({ one }, until) => behindNewIds(one.id, until),
};

/** What a step of the payout booked is part of the payout's own equation. */
export const payoutReturnEquation = equationOf({
  rows: payoutReturnCheck,
  resources: ['payout_return'],
  codes: ['pool'],
  balancesOf: ({ one, payout, entries, isStepOfPayout }) => {
    const amount = isStepOfPayout ? 0n : one.amount;
    const { accountId } = payout ?? { accountId: one.payoutId };
    return [
      {
        ...{ resource: 'payout_return', id: one.id, currency: one.currency, entries },
        chart: { pool: -amount },
        customers: [[accountId, amount]],
      },
    ];
  },
});

function checkReturn({ book, report }: CheckContext, history: ReturnHistory): void {
  const { one, payout, entries, isStepOfPayout } = history;
  // What the payout's own steps book is held against them (payout-check.ts). Nothing else may be booked beside it.
  const expected = isStepOfPayout ? '' : booking(book.id, history);
  const actual = entries
    .map(({ id, step, postings }) => {
      const lines = postings.map(({ debitAccountId, creditAccountId, amount, currency }) =>
        line(debitAccountId, creditAccountId, { amount, currency }),
      );
      return `${publicId('entry', id)} ${step}: ${lines.join('; ')}`;
    })
    .join(', ');
  if (payout !== null && expected === actual) return;
  report({
    check: 'payout_return.entry',
    ids: { payout_return: publicId('payoutReturn', one.id), payout: publicId('payout', one.payoutId) },
    expected: expected || 'no entry of its own',
    actual: payout === null ? 'no such payout' : actual || 'no entry',
    detail: 'What was booked is not what came back.',
  });
}

function booking(bookId: Uuid, { one, payout }: ReturnHistory): string {
  const { entryId, amount } = one;
  const { accountId, currency } = payout ?? { accountId: one.payoutId, currency: one.currency };
  return `${publicId('entry', entryId)} returned: ${line(chartAccountId(bookId, 'pool', currency), accountId, { amount, currency: one.currency })}`;
}

function line(debit: Uuid, credit: Uuid, { amount, currency }: { amount: bigint; currency: string }): string {
  return `${publicId('account', debit)} → ${publicId('account', credit)} ${amount} ${currency}`;
}

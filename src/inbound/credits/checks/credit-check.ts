/**
 * Checks credits of banks: one that is posted is one transfer of its amount under the bank's reference, and none that is not has a transfer;
 * every other one is before people, or due.
 */
import type { CheckContext } from '../../../group/check-context.ts';
import type { RowCheck } from '../../../group/row-check.ts';
import type { Uuid } from '../../../values/ids.ts';
import { type CreditHistory, readCreditHistories } from './credit-check-store.ts';

/** No event names a credit: they are read with all others, and by the audit. Ids are derived, so they do not show when a row came. */
export const creditCheck: RowCheck<CreditHistory, Uuid> = {
  name: 'credits of banks',
  pageRows: 500,
  read: ({ pool, book }, page) => readCreditHistories(pool, book.id, page),
  check: checkCredit,
  placeOf: ({ id }) => id,
};

function checkCredit({ report }: CheckContext, credit: CreditHistory): void {
  const { id, status, dueAt, stuckAt, transfer, excepted, givenExcepted } = credit;
  const find = (check: `credit.${string}`, expected: string, actual: string, detail: string) => {
    if (expected !== actual) report({ check, ids: { credit: id }, expected, actual, detail });
  };
  const asCredit = `${credit.accountId} ${credit.amount} ${credit.currency} ${credit.bankReference}`;
  const asTransfer = transfer
    ? `${transfer.accountId} ${transfer.amount} ${transfer.currency} ${transfer.bankReference}`
    : 'no transfer';
  if (status === 'posted') find('credit.transfer', asCredit, asTransfer, 'The transfer is not what the bank booked.');
  // Its transfer may be committed before the row shows it.
  else if (status !== 'allocated')
    find('credit.transfer', 'no transfer', asTransfer, 'Money was posted for a credit that no account received.');
  if (status === 'unallocated' || status === 'given')
    find('credit.exception', 'an exception', excepted ? 'an exception' : 'none', 'No person sees this credit.');
  const isOpen = status === 'received' || status === 'allocated' || (status === 'given' && !givenExcepted);
  const isDue = dueAt !== null || stuckAt !== null;
  if (isOpen) find('credit.due', 'due', isDue ? 'due' : 'not due', 'Nobody would move this credit again.');
  else if (status !== 'given') find('credit.due', 'not due', isDue ? 'due' : 'not due', `It is ${status}.`);
}

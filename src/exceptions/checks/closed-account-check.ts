/** Checks closed accounts: money that reached one afterwards waits for a person, in an exception. */
import type { CheckContext } from '../../group/check-context.ts';
import type { RowCheck } from '../../group/row-check.ts';
import { behindNewIds } from '../../group/until.ts';
import { publicId, type Uuid } from '../../values/ids.ts';
import { type ClosedAccount, readClosedAccounts, readClosedAccountsById } from './closed-account-check-store.ts';

export const closedAccountCheck: RowCheck<ClosedAccount, Uuid> = {
  name: 'closed accounts',
  pageRows: 500,
  read: ({ pool, book }, page) => readClosedAccounts(pool, book.id, page),
  readByIds: ({ pool, book }, ids) => readClosedAccountsById(pool, book.id, ids),
  check: checkClosed,
  placeOf: ({ id }, until) => behindNewIds(id, until),
};

/** A chargeback may have taken some of the waiting money, so less may be there. */
function checkClosed({ report }: CheckContext, { id, currency, balance, waiting }: ClosedAccount): void {
  if (balance <= waiting) return;
  report({
    check: 'account.closed',
    ids: { account: publicId('account', id) },
    expected: `at most ${waiting} ${currency}, which exceptions say`,
    actual: `${balance} ${currency}`,
    detail: 'A closed account has money that no exception puts before a person.',
  });
}

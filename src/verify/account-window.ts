/**
 * Checks a page of accounts against their newest lines. One statement reads the page, so all values are of one moment.
 * The row counts as many lines as the newest line's number, its balance is the balance after that line, and its held
 * amount is what its open holds have left.
 */

import type { CheckContext } from '../group/check-context.ts';
import { posted } from '../ledger/account/account.ts';
import { publicId } from '../values/ids.ts';
import { checkFloor, checkHeld } from './account-check.ts';
import type { AccountAndLine } from './window-store.ts';

export async function checkAccounts(context: CheckContext, accounts: readonly AccountAndLine[]): Promise<void> {
  for (const account of accounts) {
    checkNewest(context, account);
    checkHeld(context, account);
    await checkFloor(context, account);
  }
  context.advance(accounts.length);
}

function checkNewest({ report }: CheckContext, account: AccountAndLine): void {
  const { line, balance } = account.newest ?? { line: 0n, balance: 0n };
  if (account.lines === line && posted(account) === balance) return;
  report({
    check: 'account.totals',
    ids: { account: publicId('account', account.id) },
    expected: `a balance of ${balance} after ${line} lines`,
    actual: `a balance of ${posted(account)} after ${account.lines} lines`,
    detail: "The account's row is not what its newest posting left.",
  });
}

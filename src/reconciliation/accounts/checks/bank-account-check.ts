/** Checks bank accounts: each stands where its opening and its posted statements lead. */
import type { CheckContext } from '../../../group/check-context.ts';
import { equationOf } from '../../../group/equation.ts';
import type { RowCheck } from '../../../group/row-check.ts';
import { behindNewIds } from '../../../group/until.ts';
import { publicId, type Uuid } from '../../../values/ids.ts';
import {
  type BankAccountHistory,
  readBankAccountHistories,
  readBankAccountHistoriesById,
} from './bank-account-check-store.ts';

export const bankAccountCheck: RowCheck<BankAccountHistory, Uuid> = {
  name: 'bank accounts',
  pageRows: 50,
  read: ({ pool, book }, page) => readBankAccountHistories(pool, book.id, page),
  readByIds: ({ pool, book }, ids) => readBankAccountHistoriesById(pool, book.id, ids),
  check: checkBankAccount,
  placeOf: ({ account }, until) => behindNewIds(account.id, until),
};

/** What stood on the account when it was made is the operator's own. */
export const bankAccountEquation = equationOf({
  rows: bankAccountCheck,
  resources: ['bank_account'],
  codes: ['own_funds'],
  balancesOf: ({ account: { id, currency, openingAmount, ledgerAccountId }, entries }) => [
    {
      ...({ resource: 'bank_account', id, currency, entries } as const),
      chart: { own_funds: openingAmount },
      customers: [[ledgerAccountId, -openingAmount]],
    },
  ],
});

function checkBankAccount({ report }: CheckContext, history: BankAccountHistory): void {
  const { account, posted, ledger } = history;
  const ids = { bank_account: publicId('bankAccount', account.id) };
  const expected = account.openingAmount + posted;
  if (account.balance !== expected || ledger !== expected)
    report({
      check: 'bank_account.balance',
      ids,
      expected: `${expected} ${account.currency}`,
      actual: `${account.balance} ${account.currency}, and ${ledger} in the ledger`,
      detail: 'The bank account does not stand where its opening and its posted statements lead.',
    });
  if (account.underWay !== history.underWay || account.chainedOn !== history.chainedOn)
    report({
      check: 'bank_account.chain',
      ids,
      expected: `statements through ${history.chainedOn}, ${history.underWay} of them not posted yet`,
      actual: `statements through ${account.chainedOn}, ${account.underWay} of them not posted yet`,
      detail: 'How far the statements of the bank account reach is not what they state.',
    });
}

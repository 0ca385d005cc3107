/** Accounts: open, fund, freeze, unfreeze, close. */
import fc from 'fast-check';
import { accountProfiles, defaultAccounts } from '../../../../src/accounts/account/account-profile-table.ts';
import { changeAccountStatus } from '../../../../src/accounts/account/change-account.ts';
import { openAccount } from '../../../../src/accounts/account/open-account.ts';
import { receiveTransfer } from '../../../../src/accounts/inbound-transfers/receive-transfer.ts';
import { GROUPS } from '../../../../src/groups.ts';
import { accounts } from '../../../../src/ledger/account/account-table.ts';
import { CURRENCIES } from '../../names.ts';
import { BY, draws, ifMatchOf, kind, type Part } from '../../part.ts';
import { accountAt, currencyOf } from './drawn.ts';
import {
  changeStatus,
  type FundAccount,
  fund,
  type OpenAccount,
  openReferenceAccount,
  type StatusAction,
} from './reference.ts';

const BLOCKERS = GROUPS.flatMap((group) => group.blocksClosing);

const { account, key, seldom, ifMatch } = draws;

export const accountsPart: Part = {
  tables: [accounts, accountProfiles, defaultAccounts],
  chart: ['pool'],
  kinds: [
    kind({
      do: 'open',
      weight: 2,
      draw: { key, currency: fc.constantFrom(0, 0, 0, 0, 1), overdraft: fc.constantFrom(0, 0, 300) },
      ask: (_, { currency, overdraft }): OpenAccount => ({
        currency: CURRENCIES[currency]!,
        overdraft: BigInt(overdraft),
      }),
      expect: openReferenceAccount,
      command: (_, { currency, overdraft: overdraftLimit }) =>
        openAccount({ currency, name: 'Any', overdraftLimit, externalId: null, metadata: {}, ...BY }),
    }),
    kind({
      do: 'fund',
      weight: 4,
      draw: { key, account, amount: fc.integer({ min: 1, max: 1_000 }), wrong: seldom },
      ask(book, drawn): FundAccount {
        const name = accountAt(book, drawn.account);
        return { account: name, currency: currencyOf(book, name, drawn.wrong), amount: BigInt(drawn.amount) };
      },
      expect: fund,
      command: ({ memory, names }, { account: name, currency, amount }) =>
        receiveTransfer({
          ...{ bookId: memory.book.id, accountId: names.idOf(name), amount, currency, description: 'rent' },
          ...{ salt: Buffer.alloc(16, 7), ...BY },
        }),
    }),
    kind({
      do: 'status',
      weight: 3,
      draw: {
        key,
        account,
        action: fc.constantFrom<StatusAction>('freeze', 'unfreeze', 'unfreeze', 'close'),
        ifMatch,
      },
      ask(book, drawn) {
        const name = accountAt(book, drawn.account);
        const version = book.accounts.get(name)?.version ?? 1;
        return { account: name, action: drawn.action, ...ifMatchOf(drawn.ifMatch, version) };
      },
      expect: changeStatus,
      // Closing sees payouts as of the start of its batch.
      isAlone: ({ action }) => action === 'close',
      command({ memory, names }, { account: name, action, ifMatch: version }) {
        const accountId = names.idOf(name);
        const currency = memory.rows(accounts).get(accountId)?.currency ?? 'EUR';
        return changeAccountStatus(action, { accountId, currency, ifMatch: version, ...BY }, BLOCKERS);
      },
    }),
  ],
};

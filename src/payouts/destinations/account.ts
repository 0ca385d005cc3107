/** Another account of the same book: no rail, nothing to seal. */
import { publicId, type Uuid } from '../../values/ids.ts';
import type { AccountDestination, DestinationType } from './destination.ts';

export interface AccountInput {
  readonly type: 'account';
  readonly account: Uuid;
}

export const account: DestinationType<AccountInput, AccountDestination> = {
  type: 'account',
  rails: { test: 'book', live: 'book' },
  feeSetting: 'PAYOUT_FEE_ACCOUNT_BASIS_POINTS',
  seal: ({ account: accountId }) => ({ type: 'account', accountId }),
  view: ({ accountId }) => ({ type: 'account', account: publicId('account', accountId) }),
};

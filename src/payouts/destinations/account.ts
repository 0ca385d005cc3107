/** Another account of the same book: no rail, nothing to seal. */
import { publicId, type Uuid } from '../../values/ids.ts';
import type { AccountDestination, FeeSetting } from './destination.ts';

export interface AccountInput {
  readonly type: 'account';
  readonly account: Uuid;
}

/** The name of what carries it: a transfer within the book. */
export const BOOK_RAIL = 'book';

export const ACCOUNT_FEE: FeeSetting = 'PAYOUT_FEE_ACCOUNT_BASIS_POINTS';

export function accountView({ accountId }: AccountDestination): object {
  return { type: 'account', account: publicId('account', accountId) };
}

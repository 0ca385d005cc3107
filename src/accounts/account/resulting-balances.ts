import { type Account, available } from '../../ledger/account/account.ts';
import { currencyExponent } from '../../money/currency.ts';
import { publicId } from '../../values/ids.ts';

/** The balances after a dry run, of the account that money would leave. */
export function resultingBalances(account: Account) {
  return [
    {
      account: publicId('account', account.id),
      available: available(account),
      currency: account.currency,
      currency_exponent: currencyExponent(account.currency),
    },
  ];
}

/** What waits for its release, as the API shows it. */

import { currencyExponent } from '../../money/currency.ts';
import { publicIdOrNull, type Uuid } from '../../values/ids.ts';
import type { WaitingAmount } from './balance-store.ts';

export function balanceView(
  amounts: readonly WaitingAmount[],
  { livemode, accountId }: { livemode: boolean; accountId: Uuid | null },
) {
  const currencies = [...new Set(amounts.map(({ currency }) => currency))].sort();
  return {
    object: 'payment_balance',
    livemode,
    account: publicIdOrNull('account', accountId),
    balances: currencies.map((currency) => {
      const all = amounts.filter((one) => one.currency === currency);
      const some = all.filter(({ isReserve }) => !isReserve);
      return {
        currency,
        currency_exponent: currencyExponent(currency),
        pending: sumOf(some.filter(({ kind }) => kind === 'waiting')),
        reserved: sumOf(all.filter(({ isReserve }) => isReserve)),
        available: some
          .filter(({ kind }) => kind === 'ready')
          .sort((one, other) => (one.availableOn < other.availableOn ? -1 : 1))
          .map(({ availableOn, amount }) => ({ available_on: availableOn, amount })),
      };
    }),
  };
}

const sumOf = (amounts: readonly WaitingAmount[]) => amounts.reduce((sum, { amount }) => sum + amount, 0n);

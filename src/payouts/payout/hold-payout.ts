/** The hold of a payout: amount and fee leave the available balance at its release, whoever releases it. */
import { available } from '../../ledger/account/account.ts';
import type { Refusal } from '../../ledger/command/command.ts';
import type { Draft } from '../../ledger/command/draft.ts';
import { refuseTotals } from '../../ledger/command/lifetime-total.ts';
import { currencyExponent } from '../../money/currency.ts';
import type { Uuid } from '../../values/ids.ts';

export interface HeldPayout {
  readonly id: Uuid;
  readonly holdId: Uuid;
  readonly accountId: Uuid;
  readonly amount: bigint;
  readonly fee: bigint;
  readonly currency: string;
}

/** Places the hold, or returns the refusal of the account. `passes`: the accounts on its way, declared by the command. */
export function holdPayout(draft: Draft, payout: HeldPayout, passes: readonly Uuid[]): Refusal | undefined {
  const { id, holdId, accountId, currency } = payout;
  const required = payout.amount + payout.fee;
  const beyond = refuseTotals(draft, passes, { amount: required, currency });
  if (beyond) return beyond;
  const hold = draft.placeHold({ id: holdId, accountId, resource: 'payout', resourceId: id, amount: required });
  if (hold) return undefined;
  const rest = available(draft.account(accountId));
  return {
    refused: 'insufficient_funds',
    param: '/amount',
    detail: `The account has ${rest} available; amount and fee require ${required}.`,
    facts: { available: rest, required, currency, currency_exponent: currencyExponent(currency) },
  };
}

/** Rules of what there is: the purchase, the card, its token and the account, and what the network has checked. */
import { type Card, isExpired } from '../card/card.ts';
import { isPinEntered } from '../card/card-pin.ts';
import { takesCurrency } from '../program/program.ts';
import { isCredit } from '../purchase/purchase-facts.ts';
import type { DecisionInput } from './decision-input.ts';
import type { DeclineCode } from './decline-codes.ts';
import { type RuleResult, result, resultOf } from './rule-result.ts';

/** In the order in which they decide. Credits are declined for closed cards and accounts, and where they cannot be booked. */
export function statusRules(input: DecisionInput): RuleResult[] {
  const { request, purchase } = input;
  const decisive = [
    resultOf({ rule: 'purchase', scope: 'card', code: purchase.refusal }),
    resultOf({ rule: 'card_status', scope: 'card', code: cardRefusal(input) }),
    ...tokenRules(input),
    resultOf({ rule: 'account_status', scope: 'account', code: accountRefusal(input) }),
    ...currencyRules(input),
  ];
  return isCredit(request.facts.kind) ? decisive : [...decisive, ...checkedRules(input)];
}

function cardRefusal({ card, token, request, now }: DecisionInput): DeclineCode | null {
  if (card.status === 'closed') return 'card_closed';
  if (isCredit(request.facts.kind)) return null;
  // A token works on while its new card is in the post.
  if (card.status === 'pending_activation' && token === null) return 'card_not_active';
  if (isExpired(card, now)) return 'card_expired';
  return card.status === 'frozen' ? 'card_frozen' : null;
}

function tokenRules({ token, request }: DecisionInput): RuleResult[] {
  if (token === null || isCredit(request.facts.kind)) return [];
  const refusal = token.status === 'suspended' ? 'token_suspended' : 'token_not_active';
  return [resultOf({ rule: 'token_status', scope: 'card', code: token.status === 'active' ? null : refusal })];
}

function accountRefusal({ account, request }: DecisionInput): DeclineCode | null {
  if (account.status === 'closed') return 'account_closed';
  return account.status === 'frozen' && !isCredit(request.facts.kind) ? 'account_frozen' : null;
}

function currencyRules({ account, program, request }: DecisionInput): RuleResult[] {
  const ofAccount = result('currency_not_supported', 'account', request.currency === account.currency);
  if (isCredit(request.facts.kind)) return [ofAccount];
  return [ofAccount, result('currency_not_supported', 'program', takesCurrency(program, request.currency))];
}

/** Only what was checked has a rule. An address that does not match declines nothing by itself. */
function checkedRules({ request, card }: DecisionInput): RuleResult[] {
  const { expiryResult, cvvResult, pinResult } = request;
  const rules: RuleResult[] = [];
  if (isChecked(expiryResult)) rules.push(result('expiry_mismatch', 'card', expiryResult === 'match'));
  if (isChecked(cvvResult)) rules.push(result('cvv_incorrect', 'card', cvvResult === 'match'));
  if (isPinEntered(pinResult)) rules.push(resultOf({ rule: 'pin', scope: 'card', code: pinRefusal(card, pinResult) }));
  return rules;
}

function isChecked(checked: DecisionInput['request']['cvvResult']): boolean {
  return checked !== null && checked !== 'not_checked';
}

/** A blocked PIN stops entered PINs alone, right ones as well. */
function pinRefusal({ pinStatus }: Card, pinResult: DecisionInput['request']['pinResult']): DeclineCode | null {
  if (pinStatus === 'blocked') return 'pin_blocked';
  return pinResult === 'match' ? null : 'pin_incorrect';
}

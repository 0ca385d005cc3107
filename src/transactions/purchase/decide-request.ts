/** What was decided of a request becomes part of the message, in the account's currency and the merchant's. */
import type { Decision } from '../../cards/decision/decide.ts';
import { multiplyRatio } from '../../money/rounding.ts';
import type { DecidedRequest, MerchantAmount, Request } from '../message/message.ts';

export type Decided = Pick<Decision, 'decision' | 'approvedAmount' | 'authorizedAmount' | 'declineCode'>;

/**
 * A status check is answered with its token amount, and authorizes what it holds. Throws RangeError for more than was asked, and for a
 * part where none is allowed.
 */
export function decideRequest(request: Request, decided: Decided): DecidedRequest {
  const { decision, approvedAmount: amount, authorizedAmount: authorized, declineCode } = decided;
  if (decision === 'declined') return { ...request, decision: { isApproved: false, declineCode: declineCode! } };
  if (amount > request.amount || (amount < request.amount && !request.isPartialAllowed))
    throw new RangeError(`Of ${request.amount} of message ${request.reference}, ${amount} cannot be approved`);
  const merchant = inProportion(request, authorized);
  return { ...request, decision: { isApproved: true, amount, authorized, merchant } };
}

/** The merchant's amount of what is approved, rounded down: a part is never worth more to the merchant than to the cardholder. */
function inProportion({ amount, merchant }: Request, authorized: bigint): MerchantAmount | null {
  if (merchant === null || amount === 0n) return merchant;
  const ratio = { numerator: authorized, denominator: amount };
  return { amount: multiplyRatio(merchant.amount, ratio, 'down'), currency: merchant.currency };
}

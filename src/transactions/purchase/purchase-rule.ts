/**
 * The rule `purchase`, first of all that decide a request: what a reversal has taken before it came, and what is closed, is declined. Both
 * answer 12 in field 39 of ISO 8583 (invalid transaction).
 */
import { isCredit, isDebit } from '../../cards/purchase/purchase-facts.ts';
import type { Request } from '../message/message.ts';
import { isEnded, type PurchaseState } from './purchase-state.ts';
import type { Tally } from './tally.ts';

export type PurchaseRefusal = 'already_reversed' | 'authorization_closed';

/** Null where the purchase does not stand in the way. `state` is that before the request. */
export function purchaseRule(
  { tally, isClosed }: PurchaseState,
  request: Pick<Request, 'type' | 'kind' | 'amount'>,
): PurchaseRefusal | null {
  const { kind, amount } = request;
  const { authorized, reversed } = tally.account;
  const approved = authorized + tally.credited;
  // Reversals that have found nothing: they came before what they are about.
  const ahead = reversed - approved;
  if (tally.has.wholeReversal && approved === 0n) return 'already_reversed';
  if (ahead > 0n && amount <= ahead) return 'already_reversed';
  // Of credits, only closed cards and accounts are declined (API.md §5).
  if (isCredit(kind)) return null;
  const isOver = ahead > 0n ? isEnded(tally) : isClosed;
  return isOver || isBesideCompletion(request, tally) ? 'authorization_closed' : null;
}

/**
 * A completion is what was sold, and counts alone: what is approved beside it would hold nothing. The authorization that it completes may
 * come behind it.
 */
function isBesideCompletion({ type, kind }: Pick<Request, 'type' | 'kind'>, { has }: Tally): boolean {
  return has.completion && isDebit(kind) && (type === 'increment' || has.uncompleted);
}

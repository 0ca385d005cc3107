/** A token as the card of a payout: one-time, used up by the payout's commit, or kept for a customer. */
import type { PayableCard, PayableCards } from '../../group/payable-card.ts';
import { advance } from '../../ledger/resources/resource.ts';
import type { PaymentToken } from './payment-token.ts';
import { paymentTokenResource } from './payment-token-resource.ts';
import { paymentTokens } from './payment-token-table.ts';
import { findToken } from './token-store.ts';

export const payableTokens: PayableCards = {
  async find(pool, bookId, id) {
    const token = await findToken(pool, bookId, id);
    return token && payableOf(token);
  },
};

function payableOf({ id, acquirer, acquirerToken, card, reusable, status }: PaymentToken): PayableCard {
  return {
    issuedBy: acquirer,
    token: acquirerToken,
    brand: card.brand,
    lastFour: card.lastFour,
    isReusable: reusable,
    unusable: status === 'active' ? null : { refused: 'token_invalid', detail: whyInvalid(status) },
    touches: [{ table: paymentTokens, ids: [id] }],
    use(draft, param) {
      const now = draft.get(paymentTokens, id);
      if (now?.status !== 'active') return { refused: 'token_invalid', param, detail: whyInvalid(now?.status) };
      if (!now.reusable) advance(draft, paymentTokenResource, now, { status: 'used' });
      return undefined;
    },
  };
}

function whyInvalid(status: PaymentToken['status'] | undefined): string {
  if (status === 'used') return 'The token is one-time, and it was used.';
  if (status === 'failed') return 'The issuer declined the verification of this card.';
  return 'The token was deleted.';
}

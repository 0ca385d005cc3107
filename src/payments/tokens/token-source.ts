/** A token: one-time, used up by the payment's first commit whatever its outcome, or kept for a customer. */
import { ApiError } from '../../errors/errors.ts';
import type { Refusal } from '../../ledger/command/command.ts';
import { advance } from '../../ledger/resources/resource.ts';
import type { Uuid } from '../../values/ids.ts';
import { reachAcquirer } from '../sources/card.ts';
import type { Source } from '../sources/source.ts';
import type { PaymentToken } from './payment-token.ts';
import { paymentTokenResource } from './payment-token-resource.ts';
import { paymentTokens } from './payment-token-table.ts';
import { findToken } from './token-store.ts';

export interface TokenSource {
  readonly type: 'token';
  readonly tokenId: Uuid;
  /** Asked of the payer again: the acquirer checks it with this payment. */
  readonly cvc: string | null;
}

const param = '/source/token';

export const tokenSource: Source<TokenSource> = {
  asksAcquirer: ({ cvc }) => cvc !== null,
  async prepare({ pool }, { tokenId, cvc }, { bookId, acquirer, dryRun }) {
    const token = await findToken(pool, bookId, tokenId);
    if (!token) throw new ApiError('resource_not_found', { param, detail: 'There is no such token in this book.' });
    const originator = bookId;
    // Only of a token that pays: a refused request exchanges no code.
    const coded = !dryRun && cvc !== null && !refuseToken(token, acquirer.name);
    const paying = coded
      ? await reachAcquirer(acquirer.withCode(token.acquirerToken, cvc, { originator }))
      : token.acquirerToken;
    return {
      card: token.card,
      token: paying,
      nextAction: null,
      facts: { tokenId },
      expiresAfterMs: null,
      touches: [{ table: paymentTokens, ids: [tokenId] }],
      begin(draft, payment) {
        const now = draft.get(paymentTokens, tokenId);
        const refusal = refuseToken(now, payment.acquirer);
        if (refusal) return refusal;
        if (!now!.reusable) advance(draft, paymentTokenResource, now!, { status: 'used', paymentId: payment.id });
        return undefined;
      },
    };
  },
};

function refuseToken(token: PaymentToken | undefined, acquirer: string): Refusal | undefined {
  if (token?.status === 'active' && token.acquirer === acquirer) return undefined;
  return { refused: 'token_invalid', param, detail: whyInvalid(token) };
}

function whyInvalid(token: PaymentToken | undefined): string {
  if (token === undefined || token.status === 'deleted') return 'The token was deleted.';
  if (token.status === 'used') return 'The token is one-time, and a payment has used it.';
  if (token.status === 'failed') return 'The issuer declined the verification of this card.';
  return 'The token is of another acquirer than payments go to now.';
}

/** A hosted page: the payer gives the card there. */
import { checkoutDigest, checkoutToken } from '../payment/checkout-link.ts';
import type { PreparedSource, Source } from './source.ts';

export interface CheckoutSource {
  readonly type: 'checkout';
}

/** How long a payer may take: as hosted pages of the field do. */
const CHECKOUT_MS = 24 * 60 * 60_000;

export const checkoutSource: Source<CheckoutSource> = {
  prepare({ fingerprints }, _input, { bookId, paymentId }): Promise<PreparedSource> {
    const digest = checkoutDigest(checkoutToken(fingerprints, bookId, paymentId));
    // The link is derived from the payment (checkout-link.ts).
    const waiting = { card: null, token: null, nextAction: null, expiresAfterMs: CHECKOUT_MS, touches: [] };
    return Promise.resolve({ ...waiting, checkoutDigest: digest });
  },
};

/** A request to pay: the payer approves it at their own bank, or lets it expire. What they approve is paid: nothing is held. */

import { ApiError } from '../../errors/errors.ts';
import { loadBook } from '../../ledger/book/book-store.ts';
import { momentOf } from '../../ledger/commit/batch.ts';
import { maskAlias } from '../../outside/masks/mask-alias.ts';
import type { Instant } from '../../values/clock.ts';
import { aliasPlace } from '../payment/cliq-request.ts';
import type { Source } from './source.ts';

export interface CliqRequestSource {
  readonly type: 'cliq_request';
  readonly alias: string;
  /** By the book's time. */
  readonly expiresAt: Instant | null;
}

const DAY_MS = 24 * 60 * 60_000;
const MOST_DAYS = 30;

export const cliqRequestSource: Source<CliqRequestSource> = {
  async prepare({ pool, clock, secretBox }, { alias, expiresAt }, { bookId, paymentId, captureMode }) {
    if (captureMode === 'manual')
      throw new ApiError('parameter_invalid', {
        param: '/capture',
        detail: 'What a payer approves is paid at once: a request to pay has automatic capture.',
      });
    const book = await loadBook(pool, bookId);
    const now = book ? momentOf(clock, book).book : clock.now();
    const expiresAfterMs = expiresAt === null ? DAY_MS : expiresAt - now;
    if (expiresAfterMs <= 0 || expiresAfterMs > MOST_DAYS * DAY_MS)
      throw new ApiError('parameter_invalid', {
        param: '/source/expires_at',
        detail: `Expects a moment within ${MOST_DAYS} days that is not over by the clock of the book.`,
      });
    return {
      card: null,
      token: null,
      isRequest: true,
      nextAction: null,
      facts: { aliasMasked: maskAlias(alias), requestExpiresAt: now + expiresAfterMs },
      aliasSealed: secretBox.seal(alias, aliasPlace(bookId, paymentId)),
      expiresAfterMs,
      expiresAt: now + expiresAfterMs,
      touches: [],
    };
  },
};

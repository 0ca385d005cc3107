/**
 * What the requests of a book hold in this process at once: how many they are, and the bytes of their bodies and answers.
 * A request is in flight from its key to the last byte of its answer, so a client that does not read its answers runs into
 * the limit, and not the process out of memory. One that is held by `Prefer: wait` is not in flight meanwhile.
 */
import { ApiError } from '../errors.ts';
import type { BookId } from '../ledger/book.ts';

/**
 * Of one book in one process; published at GET /v1/limits. Requests: a second of the rate, and a few milliseconds are
 * what one takes. Bytes: a dozen of the largest pages. Refused is what comes when they are used up, so that one answer
 * may lie beyond.
 */
export const IN_FLIGHT_LIMITS = { requests: 1_000, bytes: 16 * 1_048_576 } as const;

/** Books whose counts are kept; beyond it, those with nothing in flight are forgotten. */
const MAX_SHARES = 10_000;

/** What a book has in flight. */
export interface Share {
  /** Requests that were let in and have not left, those that are held among them. */
  requests: number;
  /** Those that `Prefer: wait` holds. */
  held: number;
  bytes: number;
}

export class InFlight {
  readonly #shares = new Map<BookId, Share>();

  /** The share of a book that may have one more request. Throws ApiError rate_limited. */
  shareOf(bookId: BookId): Share {
    let share = this.#shares.get(bookId);
    if (share === undefined) {
      if (this.#shares.size >= MAX_SHARES) this.#forget();
      share = { requests: 0, held: 0, bytes: 0 };
      this.#shares.set(bookId, share);
      return share;
    }
    if (share.requests - share.held >= IN_FLIGHT_LIMITS.requests) throw tooMuch('requests');
    requireRoom(share);
    return share;
  }

  #forget(): void {
    for (const [bookId, { requests }] of this.#shares) if (requests === 0) this.#shares.delete(bookId);
  }
}

/** Throws ApiError rate_limited when the bytes of a book are used up. */
export function requireRoom(share: Share): void {
  if (share.bytes >= IN_FLIGHT_LIMITS.bytes) throw tooMuch('bytes');
}

function tooMuch(what: keyof typeof IN_FLIGHT_LIMITS): ApiError {
  const limit = IN_FLIGHT_LIMITS[what];
  return new ApiError('rate_limited', {
    detail: `More than ${limit} ${what} of this book are in flight; read the answers to earlier requests.`,
    facts: { limit },
    headers: { 'Retry-After': '1' },
  });
}

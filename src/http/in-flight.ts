/**
 * What requests hold in this process at once: how many each book has, and the bytes of their bodies and answers, each book's
 * and all books' together. A request is in flight from its key to the last byte of its answer, so a client that does not read its answers runs into
 * the limit, and not the process out of memory. One that is held by `Prefer: wait` is not in flight meanwhile.
 */
import { ApiError } from '../errors.ts';
import type { BookId } from '../ledger/book.ts';

/**
 * Of one book in one process; published at GET /v1/limits. Requests: a second of the rate, and a few milliseconds are
 * what one takes. Bytes: a dozen of the largest pages. Refused is what comes when they are used up, so that one answer
 * may lie beyond.
 */
export const IN_FLIGHT_LIMITS = { requests: 1_000, held: 1_000, bytes: 16 * 1_048_576 } as const;

/**
 * Of all books in one process; published at GET /v1/limits. A book that holds as much as is left free is refused, so that several busy ones leave the others
 * something: one alone has its 16 MB, seven have them, twenty have 6 MB each.
 */
export const PROCESS_BYTES = 128 * 1_048_576;
/** Of one book, whatever the others hold: a large page less, or hundreds of payouts. */
export const ASSURED_BYTES = 256 * 1_024;

/** Books whose counts are kept; beyond it, those with nothing in flight are forgotten. */
const MAX_SHARES = 10_000;

/** What a book has in flight. */
export interface Share {
  /** Requests that were let in and have not left, those that are held among them. */
  requests: number;
  /** Those that `Prefer: wait` holds. */
  held: number;
  bytes: number;
  readonly inProcess: Held;
}

/** What all books hold in this process. */
interface Held {
  bytes: number;
}

export class InFlight {
  readonly #inProcess: Held = { bytes: 0 };
  readonly #shares = new Map<BookId, Share>();

  /** The share of a book that may have one more request. Throws ApiError rate_limited. */
  shareOf(bookId: BookId): Share {
    let share = this.#shares.get(bookId);
    if (share === undefined) {
      if (this.#shares.size >= MAX_SHARES) this.#forget();
      share = { requests: 0, held: 0, bytes: 0, inProcess: this.#inProcess };
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

/** Counts bytes that a request holds; negative ones when it has left. */
export function addBytes(share: Share, bytes: number): void {
  share.bytes += bytes;
  share.inProcess.bytes += bytes;
}

/** Throws ApiError when there is no room for more bytes: rate_limited for those of the book, service_unavailable for all books'. */
export function requireRoom({ bytes, inProcess }: Share): void {
  if (bytes >= IN_FLIGHT_LIMITS.bytes) throw tooMuch('bytes');
  if (bytes >= ASSURED_BYTES && bytes >= PROCESS_BYTES - inProcess.bytes) {
    throw new ApiError('service_unavailable', {
      detail: 'Too much is under way in this process. Read the answers to earlier requests, and send fewer at a time.',
      headers: { 'Retry-After': '1' },
    });
  }
}

function tooMuch(what: 'requests' | 'bytes'): ApiError {
  const limit = IN_FLIGHT_LIMITS[what];
  return new ApiError('rate_limited', {
    detail: `More than ${limit} ${what} of this book are in flight; read the answers to earlier requests.`,
    facts: { limit },
    headers: { 'Retry-After': '1' },
  });
}

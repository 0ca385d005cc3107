/**
 * Bounds the requests in flight in this process: their number per book, and the bytes of their bodies and answers, per
 * book and for all books. A request is in flight from its authentication to the last byte of its answer. So a client
 * that does not read its answers meets the limit before the process runs out of memory. A request that `Prefer: wait`
 * holds is not in flight meanwhile.
 */
import { ApiError } from '../../errors/errors.ts';
import type { BookId } from '../../ledger/book/book.ts';

/**
 * Limits of one book in one process. Published at GET /v1/limits. Requests: two seconds at the default rates (100
 * writes and 400 reads a second); one request takes a few milliseconds. Bytes: about a dozen of the largest pages. A
 * request is refused once the limit is used up, so one answer may go beyond it.
 */
export const IN_FLIGHT_LIMITS = { requests: 1_000, held: 1_000, bytes: 16 * 1_048_576 } as const;

/**
 * Limit of all books in one process. Published at GET /v1/limits. A book that holds as much as is left free is refused,
 * so that busy books leave room for others: one book alone reaches its 16 MB, seven do, twenty reach 6 MB each.
 */
export const PROCESS_BYTES = 128 * 1_048_576;
/** Bytes that each book may have, whatever other books hold: less than the largest page, or hundreds of payouts. */
export const ASSURED_BYTES = 256 * 1_024;

/** Books counted at once. Beyond it, books with nothing in flight are dropped. */
const MAX_SHARES = 10_000;

/** What a book has in flight. */
export interface Share {
  /** Requests that have entered and not left, including the held ones. */
  requests: number;
  /** Requests that `Prefer: wait` holds. */
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

  /** The share of a book that has room for one more request. Throws ApiError rate_limited or service_unavailable. */
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

/** Counts bytes of a request; negative once the request has left. */
export function addBytes(share: Share, bytes: number): void {
  share.bytes += bytes;
  share.inProcess.bytes += bytes;
}

/**
 * Throws ApiError when there is no room for more bytes: rate_limited when the book's limit is used up,
 * service_unavailable when the process's is.
 */
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

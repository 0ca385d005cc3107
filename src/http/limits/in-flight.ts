/**
 * Bounds the requests in flight in this process: their number per book, and the bytes of their bodies and answers, per
 * book and for all books. A request is in flight from its authentication to the last byte of its answer. So a client
 * that does not read its answers meets the limit before the process runs out of memory. A request that waits by
 * `Prefer: wait` is not in flight meanwhile.
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
 * Limit of all books in one process. Published at GET /v1/limits. A book that uses as much as is left free is refused,
 * so that busy books leave room for others: one book alone reaches its 16 MB, seven do, twenty reach 6 MB each.
 */
export const PROCESS_BYTES = 128 * 1_048_576;
/** Bytes that each book may have, whatever other books use: less than the largest page, or hundreds of payouts. */
export const ASSURED_BYTES = 256 * 1_024;

/** Books counted at once. Beyond it, books with nothing in flight are dropped. */
const MAX_BOOKS = 10_000;

/** What a book has in flight. */
export interface BookUsage {
  /** Requests that have entered and not left, including the waiting ones. */
  requests: number;
  /** Requests that wait by `Prefer: wait`. */
  waiting: number;
  bytes: number;
  readonly inProcess: ProcessUsage;
}

/** What all books have in flight in this process. */
interface ProcessUsage {
  bytes: number;
}

export class InFlight {
  readonly #inProcess: ProcessUsage = { bytes: 0 };
  readonly #books = new Map<BookId, BookUsage>();

  /** The usage of a book that has room for one more request. Throws ApiError rate_limited or service_unavailable. */
  usageOf(bookId: BookId): BookUsage {
    let usage = this.#books.get(bookId);
    if (usage === undefined) {
      if (this.#books.size >= MAX_BOOKS) this.#forget();
      usage = { requests: 0, waiting: 0, bytes: 0, inProcess: this.#inProcess };
      this.#books.set(bookId, usage);
      return usage;
    }
    if (usage.requests - usage.waiting >= IN_FLIGHT_LIMITS.requests) throw tooMuch('requests');
    requireRoom(usage);
    return usage;
  }

  #forget(): void {
    for (const [bookId, { requests }] of this.#books) if (requests === 0) this.#books.delete(bookId);
  }
}

/** Counts bytes of a request; negative once the request has left. */
export function addBytes(usage: BookUsage, bytes: number): void {
  usage.bytes += bytes;
  usage.inProcess.bytes += bytes;
}

/**
 * Throws ApiError when there is no room for more bytes: rate_limited when the book's limit is used up,
 * service_unavailable when the process's is.
 */
export function requireRoom({ bytes, inProcess }: BookUsage): void {
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

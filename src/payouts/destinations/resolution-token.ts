/**
 * The token of a resolution: the account that each rail found behind a destination, sealed for book and destination. It opens for
 * no other, and holds for 15 minutes of the world's time.
 */
import { hash } from 'node:crypto';
import { type SealedPlace, type SecretBox, SecretBoxError } from '../../db/secret-box.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { InstructedDestination } from '../../rails/rail.ts';
import type { Instant } from '../../values/clock.ts';

/** Long enough for a person to confirm the name; short enough that the account behind an alias seldom moves meanwhile. */
export const RESOLUTION_MS = 15 * 60_000;

/**
 * Beyond them, a rail is as one without an answer: a payout by it asks for another resolution. Few rails look aliases up, and the bound is what
 * makes a token short.
 */
export const PINNED_RAILS_MAX = 8;

/**
 * Characters of a token. Each rail has 32 of a name and 255 of an account (src/rails/http/read-answers.ts), of which JSON may write each as two; with
 * what stands around them 600 bytes, and Base64 writes three as four. A test makes the longest.
 */
export const RESOLUTION_MAX = 6_500;

/** What a token pins: which rail carries the payout is known with its currency and amount alone. */
export interface Resolution {
  /** Each in the words of its rail. */
  readonly accounts: readonly { readonly rail: string; readonly account: string }[];
  readonly expiresAt: Instant;
}

/** Whose it is. */
export interface ResolutionOf {
  readonly bookId: BookId;
  readonly destination: InstructedDestination;
}

export function sealResolution(secretBox: SecretBox, resolution: Resolution, of: ResolutionOf): string {
  return secretBox.seal(JSON.stringify(resolution), placeOf(of)).toString('base64url');
}

/** Undefined for a token of another destination or book, for one that has expired, and for any other text. */
export function openResolution(
  secretBox: SecretBox,
  token: string,
  of: ResolutionOf & { now: Instant },
): Resolution | undefined {
  try {
    const resolution = JSON.parse(secretBox.open(Buffer.from(token, 'base64url'), placeOf(of))) as Resolution;
    return of.now < resolution.expiresAt ? resolution : undefined;
  } catch (error) {
    if (error instanceof SecretBoxError) return undefined;
    throw error;
  }
}

function placeOf({ bookId, destination }: ResolutionOf): SealedPlace {
  return { bookId, table: 'resolutions', column: 'token', rowId: hash('sha256', JSON.stringify(destination), 'hex') };
}

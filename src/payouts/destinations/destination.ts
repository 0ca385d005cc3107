/**
 * Where a payout goes. What names somebody outside is personal data: sealed at rest, masked in everything that is kept.
 * Next: a file a type beside this one, destinations.ts (the list), ../payees/ (saved destinations).
 */
import type { Config } from '../../config.ts';
import type { SealedPlace } from '../../db/secret-box.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { InstructedDestination } from '../../rails/rail.ts';
import type { Uuid } from '../../values/ids.ts';

/** A destination as the row of a payout or a payee keeps it. */
export type Destination = OutsideDestination | AccountDestination;

/** Carried by a rail. Every type is kept alike, so that a row reads the same whatever it is. */
export interface OutsideDestination {
  readonly type: InstructedDestination['type'];
  /** What its type needs to know of the payee: text, sealed for the row. Null once it is erased. */
  readonly sealed: Buffer | null;
  /** What is shown of it. */
  readonly masked: string;
  readonly provider: string | null;
  /** What its type shows beside. Null where that is nothing. */
  readonly details: DestinationDetails | null;
  /** The account that `resolve` found behind it, in the rail's own words: sealed. Null where none is pinned. */
  readonly accountSealed: Buffer | null;
}

export type DestinationDetails = Readonly<Record<string, string | null>>;

/** Another account of the same book. */
export interface AccountDestination {
  readonly type: 'account';
  readonly accountId: Uuid;
}

/** The row that a destination is sealed for. */
export interface DestinationOf {
  readonly bookId: BookId;
  readonly table: 'payouts' | 'payees';
  readonly rowId: Uuid;
}

/** The destination of a payout is sealed for its row. */
export function ofPayout(bookId: BookId, payoutId: Uuid): DestinationOf {
  return { bookId, table: 'payouts', rowId: payoutId };
}

export function destinationPlace(of: DestinationOf): SealedPlace {
  return { ...of, column: 'destination_sealed' };
}

/** What the account found behind the destination of a payout is sealed for. */
export function accountPlace(of: DestinationOf): SealedPlace {
  return { ...of, column: 'destination_account_sealed' };
}

export type FeeSetting = Extract<keyof Config, `PAYOUT_FEE_${string}_BASIS_POINTS`>;

/** What is kept of a destination in clear. */
export type Shown = Pick<OutsideDestination, 'masked' | 'provider' | 'details'>;

/** A type that a rail carries: everything about it that is not the same for all. */
export interface OutsideDestinationType<Input, Instructed extends InstructedDestination> {
  readonly type: Instructed['type'];
  /** The setting of its fee, in basis points of the amount. */
  readonly feeSetting: FeeSetting;
  /** In clear, as it is sent to the rail. */
  instruct(input: Input): Instructed;
  /** As it is kept in clear. */
  shown(input: Input): Shown;
  /** The text that is sealed. */
  write(instructed: Instructed): string;
  /** What was written, in clear again. */
  read(text: string, stored: OutsideDestination): Instructed;
  /** How the API and events show it. */
  view(stored: OutsideDestination): object;
  /** What the rail makes the payee's digest of. */
  payee(instructed: Instructed): string;
}

/**
 * Where a payout goes. What names somebody outside is personal data: sealed at rest, masked in everything that is kept.
 * Next: destinations/ (a file a type), destinations.ts (the list).
 */
import type { Config } from '../../config.ts';
import type { SealedPlace } from '../../db/secret-box.ts';
import type { BookId, Mode } from '../../ledger/book.ts';
import type { InstructedDestination } from '../../rails/rail.ts';
import type { Uuid } from '../../values/ids.ts';

/** A destination as the payout's row keeps it. */
export type Destination = OutsideDestination | AccountDestination;

/** Carried by a rail. Every type is kept alike, so that a row reads the same whatever it is. */
export interface OutsideDestination {
  readonly type: InstructedDestination['type'];
  /** What its type needs to know of the payee: text, sealed for the payout's row. */
  readonly sealed: Buffer;
  /** What is shown of it. */
  readonly masked: string;
  readonly provider: string | null;
}

/** Another account of the same book. */
export interface AccountDestination {
  readonly type: 'account';
  readonly accountId: Uuid;
}

/** What the destination of a payout is sealed for. */
export function destinationPlace(bookId: BookId, payoutId: Uuid): SealedPlace {
  return { bookId, table: 'payouts', column: 'destination_sealed', rowId: payoutId };
}

/** A type of destination: everything about it that is not the same for all. */
export interface DestinationType<Input, Stored extends Destination> {
  readonly type: Stored['type'];
  /** The rail that carries it, or `book` for a transfer within the book. Undefined where none does. */
  readonly rails: Readonly<Record<Mode, string | undefined>>;
  /** The setting of its fee, in basis points of the amount. */
  readonly feeSetting: FeeSetting;
  seal(input: Input, seal: (text: string) => Buffer): Stored;
  /** How the API and events show it. */
  view(stored: Stored): object;
}

export type FeeSetting = Extract<keyof Config, `PAYOUT_FEE_${string}_BASIS_POINTS`>;

/** A type that a rail carries. */
export interface OutsideDestinationType<Input, Instructed extends InstructedDestination>
  extends DestinationType<Input, OutsideDestination> {
  /** In clear, as the rail is told. */
  instruct(stored: OutsideDestination, open: (sealed: Buffer) => string): Instructed;
  /** What the rail makes the payee's digest of. */
  payee(instructed: Instructed): string;
}

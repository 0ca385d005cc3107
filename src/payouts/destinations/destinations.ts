/**
 * The types of destinations. A new one is a file in destinations/, a line here, and a schema in api/destinations/ with its
 * line there; the compiler then asks for its member of the rail's instruction, and what each rail makes of it.
 */
import type { SecretBox } from '../../db/secret-box.ts';
import type { BookId } from '../../ledger/book.ts';
import type { InstructedDestination } from '../../rails/rail.ts';
import type { Uuid } from '../../values/ids.ts';
import { account } from './account.ts';
import { cliq } from './cliq.ts';
import {
  type Destination,
  type DestinationType,
  destinationPlace,
  type OutsideDestination,
  type OutsideDestinationType,
} from './destination.ts';

/** By the types that rails know: one that is missing here does not compile. */
const OUTSIDE = { cliq } satisfies Record<InstructedDestination['type'], unknown>;

export const DESTINATIONS = { ...OUTSIDE, account };

type Types = typeof DESTINATIONS;

/** A destination as it is asked for. */
export type DestinationInput = { [Type in keyof Types]: Parameters<Types[Type]['seal']>[0] }[keyof Types];

/** Each type takes its own input and row, which the type in them tells. */
const typeOf = ({ type }: { readonly type: keyof Types }) =>
  DESTINATIONS[type] as unknown as DestinationType<DestinationInput, Destination>;
const outsideTypeOf = ({ type }: { readonly type: keyof typeof OUTSIDE }) =>
  OUTSIDE[type] as OutsideDestinationType<DestinationInput, InstructedDestination>;

export interface DestinationOf {
  readonly bookId: BookId;
  readonly payoutId: Uuid;
}

/** The destination as the payout's row will keep it. */
export function sealDestination(secretBox: SecretBox, input: DestinationInput, of: DestinationOf): Destination {
  return typeOf(input).seal(input, (text) => secretBox.seal(text, destinationPlace(of.bookId, of.payoutId)));
}

export function destinationView(destination: Destination): object {
  return typeOf(destination).view(destination);
}

/** The destination in clear, as its rail is told. Throws for one within the book, and SecretBoxError. */
export function instructedDestination(
  secretBox: SecretBox,
  destination: Destination,
  of: DestinationOf,
): InstructedDestination {
  const stored = outsideOf(destination, of);
  return outsideTypeOf(stored).instruct(stored, (sealed) =>
    secretBox.open(sealed, destinationPlace(of.bookId, of.payoutId)),
  );
}

/** What the rail makes the payee's digest of. Throws likewise. */
export function payeeOf(secretBox: SecretBox, destination: Destination, of: DestinationOf): string {
  const instructed = instructedDestination(secretBox, destination, of);
  return outsideTypeOf(instructed).payee(instructed);
}

function outsideOf(destination: Destination, { payoutId }: DestinationOf): OutsideDestination {
  if (destination.type === 'account') throw new Error(`Payout ${payoutId} is carried by no rail`);
  return destination;
}

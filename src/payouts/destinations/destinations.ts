/**
 * The types of destinations. A new one is a file beside this one, a line here, and a schema in api/ with its line there; the
 * compiler then asks for its member of the rail's instruction, and what each rail makes of it.
 */
import type { SecretBox } from '../../db/secret-box.ts';
import type { InstructedDestination } from '../../rails/rail.ts';
import { ACCOUNT_FEE, type AccountInput, accountView } from './account.ts';
import { card, type FoundCard } from './card.ts';
import { type CliqInput, cliq } from './cliq.ts';
import {
  accountPlace,
  type Destination,
  type DestinationOf,
  destinationPlace,
  type FeeSetting,
  type OutsideDestination,
  type OutsideDestinationType,
} from './destination.ts';
import { type IbanInput, iban } from './iban.ts';
import { type WalletInput, wallet } from './wallet.ts';

/** By the types that rails know: one that is missing here does not compile. */
const OUTSIDE = { cliq, iban, wallet, card } satisfies Record<InstructedDestination['type'], unknown>;

export type OutsideType = keyof typeof OUTSIDE;

/** A destination that a rail carries, with what was found of a card. */
export type OutsideInput = CliqInput | IbanInput | WalletInput | FoundCard;

/** With what was found of a card. */
export type FoundInput = OutsideInput | AccountInput;

/** Each type takes its own input and row, and both name their type. */
const typeOf = ({ type }: { readonly type: OutsideType }) =>
  OUTSIDE[type] as unknown as OutsideDestinationType<OutsideInput, InstructedDestination>;

/** The setting of the fee of a payout to such a destination. */
export function feeSettingOf(type: Destination['type']): FeeSetting {
  return type === 'account' ? ACCOUNT_FEE : OUTSIDE[type].feeSetting;
}

/** The destination as the row will keep it. `account`: what `resolve` found behind it. */
export function sealDestination(
  secretBox: SecretBox,
  input: FoundInput,
  of: DestinationOf,
  account: string | null = null,
): Destination {
  if (input.type === 'account') return { type: 'account', accountId: input.account };
  const type = typeOf(input);
  const { masked, provider, details } = type.shown(input);
  return {
    type: input.type,
    sealed: secretBox.seal(type.write(type.instruct(input)), destinationPlace(of)),
    masked,
    provider,
    details,
    accountSealed: account === null ? null : secretBox.seal(account, accountPlace(of)),
  };
}

/** A destination that is sealed for one row, sealed for another. Null once it is erased. */
export function resealDestination(
  secretBox: SecretBox,
  stored: Destination,
  { from, to }: { from: DestinationOf; to: DestinationOf },
): Destination | null {
  if (stored.type === 'account') return stored;
  if (stored.sealed === null) return null;
  const text = secretBox.open(stored.sealed, destinationPlace(from));
  return { ...stored, sealed: secretBox.seal(text, destinationPlace(to)), accountSealed: null };
}

export function destinationView(destination: Destination): object {
  return destination.type === 'account' ? accountView(destination) : typeOf(destination).view(destination);
}

/** The instruction to the rail of what is asked for, before anything is kept. */
export function instructionOf(input: OutsideInput): InstructedDestination {
  return typeOf(input).instruct(input);
}

/** The destination in clear, as it is sent to its rail. Throws for one within the book, for one that is erased, and SecretBoxError. */
export function instructedDestination(
  secretBox: SecretBox,
  destination: Destination,
  of: DestinationOf,
): InstructedDestination {
  const stored = outsideOf(destination, of);
  if (stored.sealed === null) throw new Error(`The destination of ${of.rowId} is erased`);
  return typeOf(stored).read(secretBox.open(stored.sealed, destinationPlace(of)), stored);
}

/** The account that `resolve` found, which the rail holds the destination to. Null where none is pinned. */
export function pinnedAccount(secretBox: SecretBox, destination: Destination, of: DestinationOf): string | null {
  const { accountSealed } = outsideOf(destination, of);
  return accountSealed === null ? null : secretBox.open(accountSealed, accountPlace(of));
}

/** What the rail makes the payee's digest of; undefined once it is erased, when nobody can compare it. Throws likewise. */
export function payeeOf(secretBox: SecretBox, destination: Destination, of: DestinationOf): string | undefined {
  if (outsideOf(destination, of).sealed === null) return undefined;
  const instructed = instructedDestination(secretBox, destination, of);
  return typeOf(instructed).payee(instructed);
}

function outsideOf(destination: Destination, { rowId }: DestinationOf): OutsideDestination {
  if (destination.type === 'account') throw new Error(`Payout ${rowId} is carried by no rail`);
  return destination;
}

/** Finds the card that a destination names, by the reader of its kind. */
import type { Pool } from '../../db/pool.ts';
import type { PayableCards } from '../../group/payable-card.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Refusal } from '../../ledger/command/command.ts';
import type { AccountInput } from './account.ts';
import { type CardInput, type CardKind, type FoundCard, parseCard } from './card.ts';
import type { CliqInput } from './cliq.ts';
import type { FoundInput } from './destinations.ts';
import type { IbanInput } from './iban.ts';
import type { WalletInput } from './wallet.ts';

/** A destination as it is asked for, without a payee. */
export type DestinationInput = CliqInput | IbanInput | WalletInput | CardInput | AccountInput;

export interface CardRuntime {
  readonly pool: Pool;
  /** The readers of the groups that have cards (runtime.ts). */
  readonly payableCards: Readonly<Record<CardKind, PayableCards>>;
}

export const CARD_PARAM = '/destination/card';

/** With the card that it names. A refusal where the book has no such card. */
export async function findDestination(
  runtime: CardRuntime,
  bookId: BookId,
  input: DestinationInput,
): Promise<FoundInput | Refusal> {
  return input.type === 'card' ? findCard(runtime, bookId, input) : input;
}

export async function findCard(
  { pool, payableCards }: CardRuntime,
  bookId: BookId,
  input: CardInput,
): Promise<FoundCard | Refusal> {
  const named = parseCard(input.card);
  const payable = named && (await payableCards[named.kind].find(pool, bookId, named.id));
  if (payable) return { ...input, payable };
  return {
    refused: 'resource_not_found',
    param: CARD_PARAM,
    detail: 'There is no such token or card in this book, or the card is not issued yet.',
  };
}

export function isRefusal(found: object): found is Refusal {
  return 'refused' in found;
}

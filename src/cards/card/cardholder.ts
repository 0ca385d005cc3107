/** The cardholder of a card, and where it is sent: sealed in its row, opened for its processor alone. What is shown is masked. */
import type { SealedPlace, SecretBox } from '../../db/secret-box.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Cardholder } from '../../processors/processor.ts';
import type { Uuid } from '../../values/ids.ts';
import type { PostalAddress } from '../../values/postal-address.ts';
import type { StoredCard } from './card-table.ts';

/** Without the reference, which is shown and stands in a column of its own. */
export type SealedCardholder = Omit<Cardholder, 'reference'>;

export interface Shipping {
  readonly name: string;
  readonly address: PostalAddress;
}

interface Of {
  readonly bookId: BookId;
  readonly cardId: Uuid;
}

function place({ bookId, cardId }: Of, column: 'cardholder_sealed' | 'shipping_sealed'): SealedPlace {
  return { bookId, table: 'cards', column, rowId: cardId };
}

export function sealCardholder(secretBox: SecretBox, { name, billingAddress }: SealedCardholder, of: Of): Buffer {
  return secretBox.seal(JSON.stringify({ name, billingAddress }), place(of, 'cardholder_sealed'));
}

/** Null once it is erased. */
export function openCardholder(
  secretBox: SecretBox,
  { id, cardholderSealed, cardholderReference }: StoredCard,
  bookId: BookId,
): Cardholder | null {
  if (cardholderSealed === null) return null;
  const opened = secretBox.open(cardholderSealed, place({ bookId, cardId: id }, 'cardholder_sealed'));
  const { name, billingAddress } = JSON.parse(opened) as SealedCardholder;
  return { name, reference: cardholderReference, billingAddress };
}

export function sealShipping(secretBox: SecretBox, shipping: Shipping, of: Of): Buffer {
  return secretBox.seal(JSON.stringify(shipping), place(of, 'shipping_sealed'));
}

/** Null where none was given, and once it is erased. */
export function openShipping(
  secretBox: SecretBox,
  { id, shippingSealed }: Pick<StoredCard, 'id' | 'shippingSealed'>,
  bookId: BookId,
): Shipping | null {
  if (shippingSealed === null) return null;
  return JSON.parse(secretBox.open(shippingSealed, place({ bookId, cardId: id }, 'shipping_sealed'))) as Shipping;
}

/** A request to pay: whom the acquirer asks. The alias is sealed in the payment's row, and shown masked. */
import type { AuthorizeInstruction } from '../../acquirers/acquirer.ts';
import type { SealedPlace, SecretBox } from '../../db/secret-box.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';
import type { Payment } from './payment.ts';

export function aliasPlace(bookId: BookId, paymentId: Uuid): SealedPlace {
  return { bookId, table: 'payments', column: 'alias_sealed', rowId: paymentId };
}

/** The request as the acquirer receives it, the same on every attempt; null for other payments. */
export function requestOf(
  secretBox: SecretBox,
  { id, aliasSealed }: Pick<Payment, 'id' | 'aliasSealed'>,
  { bookId, payerUntil }: { bookId: BookId; payerUntil: Instant | null },
): AuthorizeInstruction['request'] {
  if (aliasSealed === null || payerUntil === null) return null;
  return { alias: secretBox.open(aliasSealed, aliasPlace(bookId, id)), expiresAt: payerUntil };
}

/** The billing address of a payment: sealed in its row, opened for its acquirer alone, shown to nobody. */
import type { BillingAddress } from '../../acquirers/acquirer.ts';
import type { SealedPlace, SecretBox } from '../../db/secret-box.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Uuid } from '../../values/ids.ts';
import type { Payment } from './payment.ts';

function billingPlace(bookId: BookId, paymentId: Uuid): SealedPlace {
  return { bookId, table: 'payments', column: 'billing_sealed', rowId: paymentId };
}

export function sealBilling(
  secretBox: SecretBox,
  billing: BillingAddress,
  { bookId, paymentId }: { bookId: BookId; paymentId: Uuid },
): Buffer {
  return secretBox.seal(JSON.stringify(billing), billingPlace(bookId, paymentId));
}

/** Null where none was given, and once it is erased. */
export function openBilling(
  secretBox: SecretBox,
  { id, billingSealed }: Pick<Payment, 'id' | 'billingSealed'>,
  bookId: BookId,
): BillingAddress | null {
  if (billingSealed === null) return null;
  return JSON.parse(secretBox.open(billingSealed, billingPlace(bookId, id))) as BillingAddress;
}

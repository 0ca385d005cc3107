import { deriveId, type Uuid } from '../../values/ids.ts';

/** Whichever message comes first makes the purchase: its id follows from the reference that all of them have. */
export function purchaseId(bookId: Uuid, networkReference: string): Uuid {
  return deriveId('transaction', bookId, networkReference);
}

/** A purchase whose hold has ended and that must hold again gets a further one. Ordinals count from 1. */
export function purchaseHoldId(transactionId: Uuid, ordinal: number): Uuid {
  return deriveId('hold', transactionId, String(ordinal));
}

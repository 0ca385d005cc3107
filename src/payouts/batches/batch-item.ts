/**
 * An item of a batch: a payout to be. Its row is written once, by the upload; what it asks for is sealed in it, until the payout has it.
 * Next: batch-item-table.ts (its rows), batch-item-store.ts (pages of them), make-payouts.ts.
 */
import type { SealedPlace, SecretBox } from '../../db/secret-box.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Uuid } from '../../values/ids.ts';
import type { Destination, DestinationDetails } from '../destinations/destination.ts';
import type { PinnedPayee } from '../payees/payee.ts';

export interface BatchItem {
  /** That of the payout which it becomes. */
  readonly payoutId: Uuid;
  readonly batchId: Uuid;
  /** Counts from 1. */
  readonly rowNumber: number;
  /** Null: the batch's account of the currency. */
  readonly accountId: Uuid | null;
  readonly amount: bigint;
  readonly fee: bigint;
  readonly currency: string;
  readonly externalId: string | null;
  /** Derived from the book, the batch's Idempotency-Key and the row. */
  readonly endToEndId: string;
  /** Null once its payout has it, or nothing becomes of it. */
  readonly contentSealed: Buffer | null;
}

/** What an item asks for beside its money. */
export interface ItemContent {
  /** Sealed for the payout. */
  readonly destination: Destination;
  readonly payee: PinnedPayee | null;
  /** The rail that carried it when it was uploaded; its release finds it again. */
  readonly rail: string;
  readonly description: string | null;
  readonly remittance: string | null;
  readonly purposeCode: string | null;
  readonly metadata: Record<string, string>;
}

function placeOf(bookId: BookId, payoutId: Uuid): SealedPlace {
  return { bookId, table: 'payout_batch_items', rowId: payoutId, column: 'content_sealed' };
}

/** The destination as JSON has it: bytes are base64. */
type WrittenDestination =
  | { readonly type: 'account'; readonly accountId: Uuid }
  | {
      readonly type: Exclude<Destination['type'], 'account'>;
      readonly sealed: string | null;
      readonly masked: string;
      readonly provider: string | null;
      readonly details: DestinationDetails | null;
      readonly accountSealed: string | null;
    };

const written = (bytes: Buffer | null) => bytes?.toString('base64') ?? null;
const bytesOf = (text: string | null) => (text === null ? null : Buffer.from(text, 'base64'));

export function sealContent(
  secretBox: SecretBox,
  { bookId, payoutId }: { bookId: BookId; payoutId: Uuid },
  content: ItemContent,
): Buffer {
  const { destination } = content;
  const kept: WrittenDestination =
    destination.type === 'account'
      ? destination
      : { ...destination, sealed: written(destination.sealed), accountSealed: written(destination.accountSealed) };
  return secretBox.seal(JSON.stringify({ ...content, destination: kept }), placeOf(bookId, payoutId));
}

/** Throws SecretBoxError. Null once the content is gone. */
export function openContent(
  secretBox: SecretBox,
  bookId: BookId,
  { payoutId, contentSealed }: Pick<BatchItem, 'payoutId' | 'contentSealed'>,
): ItemContent | null {
  if (contentSealed === null) return null;
  const content = JSON.parse(secretBox.open(contentSealed, placeOf(bookId, payoutId))) as Omit<
    ItemContent,
    'destination'
  > & { readonly destination: WrittenDestination };
  const { destination } = content;
  if (destination.type === 'account') return { ...content, destination };
  const { sealed, accountSealed } = destination;
  return {
    ...content,
    destination: { ...destination, sealed: bytesOf(sealed), accountSealed: bytesOf(accountSealed) },
  };
}

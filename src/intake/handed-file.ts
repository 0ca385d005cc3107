/** A kept file of a bank that one reader hands on to another: reconciliation to a rail by files. Each takes its part once, by the bytes. */
import type { BookId } from '../ledger/book/book.ts';

export interface HandedFile {
  readonly bookId: BookId;
  /** Hexadecimal. Its bytes are kept (sealed-file.ts). */
  readonly sha256: string;
  readonly name: string;
  /** The accounts at the bank that it notifies of, as it names them. */
  readonly accounts: readonly string[];
}

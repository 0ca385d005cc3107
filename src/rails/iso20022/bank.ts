/** A bank of this process: its settings, and what its files are made and read with. */
import type { Pool } from '../../db/pool.ts';
import type { SecretBox } from '../../db/secret-box.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Clock } from '../../values/clock.ts';
import type { RailRows } from './bank-instruction-store.ts';
import type { BankSettings } from './bank-settings.ts';

/** What an operator keeps back of a rail. */
export interface KeptBack {
  /** Nothing is filed. */
  readonly isAll: boolean;
  /** Nothing of these books is. */
  readonly books: readonly BookId[];
}

export interface Bank {
  readonly settings: BankSettings;
  readonly pool: Pool;
  readonly clock: Clock;
  readonly secretBox: SecretBox;
  /** Where its rows stand: in the operator's book of its mode. */
  rows(): Promise<RailRows>;
  /** As it is now: asked before each file is made, and before it is handed over. */
  keptBack(): Promise<KeptBack>;
}

/**
 * A report of the operator's books that a group makes of rows of its own, all of it at once. The group of reports, which writes what is asked
 * for by API, is handed those of every group.
 */
import type { Pool } from '../db/pool.ts';
import type { Book } from '../ledger/book/book.ts';
import type { Command } from '../ledger/command/command.ts';

export interface OperatorReport {
  /** As `POST /v1/reports` names its type. */
  readonly type: string;
  readonly columns: readonly OperatorColumn[];
  make(asked: OperatorAsked): Promise<OperatorMade>;
}

export interface OperatorColumn {
  readonly name: string;
  /** `text`: names, which may change. */
  readonly is: 'text' | 'word' | 'amount' | 'count';
}

/** Days of the book: YYYY-MM-DD. Of a report of now, today twice. */
export interface OperatorAsked {
  readonly pool: Pool;
  readonly book: Book;
  readonly from: string;
  readonly to: string;
}

export type OperatorRow = Readonly<Record<string, string | bigint | number | null>> & { readonly currency: string };

export interface OperatorMade {
  readonly rows: readonly OperatorRow[];
  /** False where figures that should be equal are not, or money is short. */
  readonly ok: boolean;
  /** The bytes of the file. */
  write(format: 'csv' | 'json' | 'pdf'): Promise<Buffer>;
  /** What its findings open. */
  readonly commands: readonly Command<unknown>[];
}

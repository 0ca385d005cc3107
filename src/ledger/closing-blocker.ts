/** What keeps an account open beside its balance and its holds: rows of a group that still need it. */
import type { Uuid } from '../ids.ts';
import type { Table } from './table.ts';

export interface ClosingBlocker<Row = unknown> {
  /** Derived rows by account id, loaded by the command that closes the account. */
  readonly table: Table<Row>;
  /** As the refusal lists them; an empty list when nothing keeps the account open. */
  list(row: Row | undefined, accountId: Uuid): readonly Record<string, unknown>[];
}

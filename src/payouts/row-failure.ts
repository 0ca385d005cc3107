import type { Uuid } from '../ids.ts';
import type { BookId } from '../ledger/book.ts';

/**
 * Called with what went wrong while a row was being moved. Bad luck (the database away, a deadline passed) is left to
 * the sweeper, at its due time; anything else is a bug and the row is shown to operators as stuck. Does not throw.
 */
export type RowFailure = (bookId: BookId, id: Uuid, error: unknown) => Promise<void>;

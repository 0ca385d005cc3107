/** The rows of notes on payouts, and the list of those of a payout. */
import { column } from '../../db/declared-columns.ts';
import type { Page, PageRequest } from '../../db/page.ts';
import type { Queryable } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import { listRows } from '../../ledger/resources/list-rows.ts';
import { WRITE_ORDER } from '../../ledger/rows/table.ts';
import { tableOf } from '../../ledger/rows/table-of.ts';
import type { Uuid } from '../../values/ids.ts';
import type { PayoutNote } from './payout-note.ts';

export const payoutNotes = tableOf<PayoutNote>({
  name: 'payout_notes',
  key: 'id',
  writeOrder: WRITE_ORDER.resourceChildren,
  columns: [
    column('id', 'uuid'),
    column('payout_id', 'uuid', { filter: true }),
    column('status', 'code', { changes: true }),
    column('text', 'text', { personal: true }),
    column('text_salt', 'bytea'),
    column('request_id', 'uuid'),
    column('version', 'integer', { changes: true }),
    column('created_at', 'timestamptz'),
    column('updated_at', 'timestamptz', { changes: true }),
  ],
});

/** A page of the notes on a payout, newest first. Index: payout_notes_by_payout. */
export function listNotes(
  db: Queryable,
  { bookId, payoutId }: { bookId: BookId; payoutId: Uuid },
  page: PageRequest,
): Promise<Page<PayoutNote>> {
  const owner = { payout_id: payoutId };
  return listRows(db, { table: payoutNotes }, { bookId, owner, filter: { among: { payout_id: [payoutId] } }, page });
}

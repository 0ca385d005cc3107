import type { CreatedRange, Page, PageRequest } from '../../db/page.ts';
import type { Queryable } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import { listRows } from '../../ledger/resources/list-rows.ts';
import type { Uuid } from '../../values/ids.ts';
import type { ControlsStatus, Scope } from './controls.ts';
import { cardControls, type StoredControls } from './controls-table.ts';

export interface ControlsFilter {
  /** Of this line, account or book. */
  readonly subjectId?: Uuid | undefined;
  readonly scopes?: readonly Scope[] | undefined;
  readonly statuses?: readonly ControlsStatus[] | undefined;
  readonly created?: CreatedRange | undefined;
}

/** A page of versions, newest first. Index: card_controls_by_subject_id; else card_controls_pkey. */
export function listControls(
  db: Queryable,
  bookId: BookId,
  { subjectId, scopes, statuses, created }: ControlsFilter,
  page: PageRequest,
): Promise<Page<StoredControls>> {
  const among = { subject_id: subjectId === undefined ? undefined : [subjectId] };
  const filter = { among, equal: { scope: scopes, status: statuses }, created };
  return listRows(db, { table: cardControls }, { bookId, filter, page });
}

/** Stuck rows as `npm run ops` shows them, and the ids that it accepts. */

import type { MovedRows } from '../group/moved-rows.ts';
import { formatInstant } from '../values/clock.ts';
import { publicId } from '../values/ids.ts';
import type { StuckRow } from './stuck-store.ts';

export function shownStuckId(kinds: readonly MovedRows[], { kind, id }: StuckRow): string {
  return kinds.find((rows) => rows.kind === kind)?.shownId(id) ?? id;
}

export function stuckView(kinds: readonly MovedRows[], row: StuckRow) {
  return {
    kind: row.kind,
    id: shownStuckId(kinds, row),
    book: publicId('book', row.bookId),
    status: row.status,
    stuck_at: formatInstant(row.stuckAt),
    error: row.error,
  };
}

/** Pages of the messages of a purchase, each with its entries, and one by its reference. */
import type { Page, PageRequest } from '../../db/page.ts';
import { pageOf } from '../../db/page.ts';
import type { Queryable } from '../../db/pool.ts';
import { ApiError } from '../../errors/errors.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';
import type { MessageChecks } from './message-table.ts';
import type { ShownMessage } from './message-view.ts';
import { MESSAGE_COLUMNS, type MessageRow, messageFromRow } from './messages-store.ts';
import type { StoredDecision } from './stored-decision.ts';

interface ShownRow extends MessageRow {
  readonly ordinal: number;
  readonly card_id: Uuid;
  readonly token_id: Uuid | null;
  readonly currency: string;
  readonly checks: MessageChecks | null;
  readonly decision: StoredDecision | null;
  readonly flags: readonly string[];
  readonly interchange: bigint | null;
  readonly business_date: string | null;
  readonly request_id: Uuid;
  readonly created_at: Instant;
  readonly entry_ids: readonly Uuid[];
}

/** Index: entries' (book, resource, step). */
const SHOWN = `${MESSAGE_COLUMNS}, ordinal, card_id, token_id, currency, checks, decision, flags, interchange, business_date, request_id,
  created_at, ARRAY (
    SELECT e.id FROM entries e WHERE e.book_id = m.book_id AND e.resource_id = m.id ORDER BY e.sequence
  ) AS entry_ids`;

/** Newest first. Throws ApiError `cursor_invalid` for a cursor that is no message of the purchase. Index: transaction_messages_in_order. */
export async function listMessages(
  db: Queryable,
  bookId: BookId,
  transactionId: Uuid,
  page: PageRequest,
): Promise<Page<ShownMessage>> {
  const backwards = page.endingBefore !== undefined;
  const cursor = page.startingAfter ?? page.endingBefore;
  const param = backwards ? 'ending_before' : 'starting_after';
  const at = cursor === undefined ? undefined : await ordinalOf(db, bookId, { transactionId, id: cursor, param });
  const { rows } = await db.query<ShownRow>({
    name: `transaction_messages.list${backwards ? '_back' : ''}`,
    text: `SELECT ${SHOWN} FROM transaction_messages m WHERE book_id = $1 AND transaction_id = $2
      AND ordinal ${backwards ? '>' : '<'} $3 ORDER BY ordinal ${backwards ? 'ASC' : 'DESC'} LIMIT $4`,
    values: [bookId, transactionId, at ?? BEYOND_ALL, page.limit + 1],
  });
  return pageOf(rows.map(shownFromRow), page);
}
/** The largest smallint: a purchase has a thousand at most. */
const BEYOND_ALL = 32_767;

async function ordinalOf(
  db: Queryable,
  bookId: BookId,
  { transactionId, id, param }: { transactionId: Uuid; id: Uuid; param: string },
): Promise<number> {
  const { rows } = await db.query<{ ordinal: number }>({
    name: 'transaction_messages.ordinal',
    text: 'SELECT ordinal FROM transaction_messages WHERE book_id = $1 AND id = $2 AND transaction_id = $3',
    values: [bookId, id, transactionId],
  });
  if (!rows[0]) throw new ApiError('cursor_invalid', { param, detail: 'The transaction has no such event.' });
  return rows[0].ordinal;
}

/** Index: transaction_messages_in_order. */
export async function findMessageByReference(
  db: Queryable,
  bookId: BookId,
  { transactionId, reference }: { transactionId: Uuid; reference: string },
): Promise<ShownMessage | undefined> {
  const { rows } = await db.query<ShownRow>({
    name: 'transaction_messages.by_reference',
    text: `SELECT ${SHOWN} FROM transaction_messages m WHERE book_id = $1 AND transaction_id = $2 AND reference = $3`,
    values: [bookId, transactionId, reference],
  });
  return rows[0] && shownFromRow(rows[0]);
}

function shownFromRow(row: ShownRow): ShownMessage {
  return {
    ...{ id: row.id, transactionId: row.transaction_id, ordinal: row.ordinal, cardId: row.card_id },
    ...{ tokenId: row.token_id, currency: row.currency, message: messageFromRow(row), checks: row.checks },
    ...{ decision: row.decision, flags: row.flags, interchange: row.interchange, businessDate: row.business_date },
    ...{ requestId: row.request_id, createdAt: row.created_at, entryIds: row.entry_ids },
  };
}

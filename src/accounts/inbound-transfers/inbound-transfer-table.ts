/** The rows of inbound transfers, and their lists. */
import { plainArray } from '../../db/columns.ts';
import { column } from '../../db/declared-columns.ts';
import type { CreatedRange, Page, PageRequest } from '../../db/page.ts';
import type { Queryable } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import { listRows } from '../../ledger/resources/list-rows.ts';
import { WRITE_ORDER } from '../../ledger/rows/table.ts';
import { tableOf } from '../../ledger/rows/table-of.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';
import type { InboundTransfer, InboundTransferStatus } from './inbound-transfer.ts';

export const inboundTransfers = tableOf<InboundTransfer>({
  name: 'inbound_transfers',
  key: 'id',
  writeOrder: WRITE_ORDER.resources,
  columns: [
    column('id', 'uuid'),
    column('status', 'code', { changes: true, filter: true }),
    column('account_id', 'uuid', { filter: true }),
    column('amount', 'bigint'),
    column('currency', 'code'),
    column('description', 'text', { personal: true }),
    column('bank_reference', 'text', { notPersonal: 'reference', cardNumber: 'exempt' }),
    column('end_to_end_id', 'text', { notPersonal: 'reference', cardNumber: 'exempt' }),
    column('payer_name', 'text', { notPersonal: 'masked', cardNumber: 'masked' }),
    column('payer_account', 'text', { notPersonal: 'masked', cardNumber: 'masked' }),
    column('remittance', 'text', { personal: true, cardNumber: 'masked' }),
    column('value_on', 'code'),
    column('booked_on', 'code'),
    column('text_salt', 'bytea'),
    column('entry_id', 'uuid'),
    column('return_entry_id', 'uuid', { changes: true }),
    column('opening_id', 'uuid'),
    column('write_off_id', 'uuid'),
    column('version', 'integer', { changes: true }),
    column('created_at', 'timestamptz'),
    column('updated_at', 'timestamptz', { changes: true }),
  ],
  alsoRead: readTogether,
});

interface ReadTogether {
  readonly created_at: Instant;
  /** Null in a row from before it was kept. */
  readonly updated_at: Instant | null;
}

function readTogether(row: ReadTogether): Pick<InboundTransfer, 'updatedAt'> {
  return { updatedAt: row.updated_at ?? row.created_at };
}

export interface InboundTransferFilter {
  readonly statuses?: readonly InboundTransferStatus[] | undefined;
  readonly accountId?: Uuid | undefined;
  readonly created?: CreatedRange;
}

/** A page, newest first. Indexes: inbound_transfers_by_account, inbound_transfers_by_status, inbound_transfers_by_created; else inbound_transfers_pkey. */
export async function listInboundTransfers(
  db: Queryable,
  bookId: BookId,
  { statuses, accountId, created = {} }: InboundTransferFilter,
  page: PageRequest,
): Promise<Page<InboundTransfer>> {
  const among = { account_id: accountId === undefined ? undefined : [accountId], status: statuses };
  const found = await listRows(db, { table: inboundTransfers }, { bookId, filter: { among, created }, page });
  return { ...found, rows: await withEntries(db, bookId, found.rows) };
}

export async function findInboundTransfer(
  db: Queryable,
  bookId: BookId,
  id: Uuid,
): Promise<InboundTransfer | undefined> {
  const found = await inboundTransfers.find(db, bookId, id);
  return found && (await withEntries(db, bookId, [found]))[0];
}

/** An older row has no entry. Index: entries (book_id, resource_id, step). */
async function withEntries(
  db: Queryable,
  bookId: BookId,
  rows: readonly InboundTransfer[],
): Promise<InboundTransfer[]> {
  const without = rows.filter(({ entryId }) => entryId === null).map(({ id }) => id);
  if (without.length === 0) return [...rows];
  const { rows: entries } = await db.query<{ id: Uuid; resource_id: Uuid }>(
    `SELECT id, resource_id FROM entries
     WHERE book_id = $1 AND resource = 'inbound_transfer' AND resource_id = ANY ($2::uuid[]) AND step = 'received'`,
    [bookId, plainArray(without)],
  );
  const byTransfer = new Map(entries.map(({ id, resource_id: of }) => [of, id]));
  return rows.map((row) => ({ ...row, entryId: row.entryId ?? byTransfer.get(row.id) ?? null }));
}

/** Lines that a book has taken of clearing files, each with what must agree with it, as of one moment. */
import { plainArray } from '../../../db/columns.ts';
import type { Pool, Transaction } from '../../../db/pool.ts';
import { inSnapshot } from '../../../db/snapshot.ts';
import type { BookId } from '../../../ledger/book/book.ts';
import { operatorBooks } from '../../../organisations/organisation-store.ts';
import type { Instant } from '../../../values/clock.ts';
import { BEFORE_ALL_IDS, type Uuid } from '../../../values/ids.ts';
import type { Message } from '../../message/message.ts';
import { messagesOfPurchases } from '../../message/messages-store.ts';
import { purchaseId } from '../../purchase/purchase-id.ts';
import { listPartLines, type PartLine } from '../clearing-file-store.ts';
import { type ClearingIntake, clearingIntakes } from '../clearing-intake-table.ts';

/** A line of a part, counted from 1. */
export interface IntakePlace {
  readonly intakeId: Uuid;
  readonly place: number;
}

export interface TakenLineHistory {
  readonly intake: ClearingIntake;
  readonly place: number;
  /** Undefined where the file has no line at the place. */
  readonly line: PartLine | undefined;
  /** Of the line's purchase. */
  readonly messages: readonly Message[];
  readonly hasException: boolean;
}

/**
 * A page in the order of intakes and places, of one intake: an empty one ends the list. `since`: of intakes alone that have moved since
 * then, with all that they have taken. Indexes: clearing_intakes_pkey or clearing_intakes_by_time, clearing_lines_in_order,
 * transaction_messages_in_order, exceptions_by_resource.
 */
export function readTakenLines(
  pool: Pool,
  bookId: BookId,
  { after, limit, since }: { after: IntakePlace | undefined; limit: number; since?: Instant },
): Promise<TakenLineHistory[]> {
  return inSnapshot(pool, async (trx) => {
    const intake = await nextIntake(trx, bookId, { after, since });
    if (intake === undefined) return [];
    const behind = intake.id === after?.intakeId ? after.place : 0;
    const count = Math.min(limit, intake.taken - behind);
    const lines = await linesOf(trx, intake, { behind, limit: count });
    const byPurchase = await messagesOf(trx, bookId, [...lines.values()]);
    const held = await heldAmong(trx, bookId, [...lines.values()]);
    return Array.from({ length: count }, (_, at) => {
      const place = behind + at + 1;
      const line = lines.get(place);
      const messages = line === undefined ? [] : (byPurchase.get(purchaseId(bookId, line.networkReference)) ?? []);
      return { intake, place, line, messages, hasException: line !== undefined && held.has(line.id) };
    });
  });
}

/** The first that has taken lines behind the place. */
async function nextIntake(
  trx: Transaction,
  bookId: BookId,
  { after, since }: { after: IntakePlace | undefined; since: Instant | undefined },
): Promise<ClearingIntake | undefined> {
  const behind = 'book_id = $1 AND id >= $2::uuid AND (id > $2::uuid OR taken > $3) AND taken > 0';
  const moved = since === undefined ? '' : "AND updated_at >= $4 AND updated_at > '-infinity'";
  const { rows } = await trx.query(
    `SELECT ${clearingIntakes.selected()} FROM clearing_intakes WHERE ${behind} ${moved} ORDER BY id LIMIT 1`,
    [
      ...[bookId, after?.intakeId ?? BEFORE_ALL_IDS, after?.place ?? 0],
      ...(since === undefined ? [] : [new Date(since)]),
    ],
  );
  return rows[0] && clearingIntakes.fromRow(rows[0]);
}

/** By place. They stand in a book of the operator's, of either mode. */
async function linesOf(
  trx: Transaction,
  { id }: ClearingIntake,
  page: { behind: number; limit: number },
): Promise<Map<number, PartLine>> {
  for (const fileBookId of Object.values(await operatorBooks(trx))) {
    const lines = await listPartLines(trx, { id, fileBookId }, page);
    if (lines.length > 0) return new Map(lines.map((line) => [line.place, line]));
  }
  return new Map();
}

async function messagesOf(
  trx: Transaction,
  bookId: BookId,
  lines: readonly PartLine[],
): Promise<Map<Uuid, readonly Message[]>> {
  const ids = [...new Set(lines.map(({ networkReference }) => purchaseId(bookId, networkReference)))];
  const found = await messagesOfPurchases.load(trx, bookId, ids);
  return new Map([...found].map(([id, { messages }]) => [id, messages.map(({ message }) => message)]));
}

async function heldAmong(trx: Transaction, bookId: BookId, lines: readonly PartLine[]): Promise<Set<Uuid>> {
  const { rows } = await trx.query<{ id: Uuid }>(
    `SELECT resource_id AS id FROM exceptions
     WHERE book_id = $1 AND resource = 'clearing_line' AND resource_id = ANY ($2::uuid[])`,
    [bookId, plainArray(lines.map(({ id }) => id))],
  );
  return new Set(rows.map(({ id }) => id));
}

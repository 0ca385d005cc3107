/**
 * Events and stored answers that contain personal text themselves: those from before texts were
 * kept apart. Later ones only refer to it. An event keeps its leaf, which the database computes again before it accepts
 * the new payload.
 */

import { byteaArray, column, joinedJson, jsonArray, plainArray, textArray } from '../db/columns.ts';
import type { Pool } from '../db/pool.ts';
import type { LedgerEvent } from '../ledger/events/event.ts';
import { eventDigest } from '../proofs/event-digest.ts';
import type { Uuid } from '../values/ids.ts';
import { elsewhere, further } from '../values/progress.ts';
import type { ErasureSubject } from './erasable.ts';
import type { ErasurePlace } from './erase-store.ts';
import { nullMembers } from './null-members.ts';

const EVENTS = 200;
/** Idempotency keys in a page. All are read, because no index leads from an object to its keys. */
const KEYS = 2_000;

/** Events whose payload is their whole text: others contain no personal text. Index: events_by_object. */
async function readReadableEvents(pool: Pool, { bookId, id }: ErasureSubject, after: bigint): Promise<LedgerEvent[]> {
  const { rows } = await pool.query(
    `SELECT sequence, id, type, object_id AS "objectId", request_id AS "requestId", actor, created_at AS "createdAt", payload,
       text_references AS "textReferences", leaf
     FROM events WHERE book_id = $1 AND object_id = $2 AND sequence > $3 AND form IS NULL ORDER BY sequence LIMIT ${EVENTS}`,
    [bookId, id, after],
  );
  return rows;
}

/** Resolves to how many events contain text; with `change`, to how many were changed. */
async function eachEvent(pool: Pool, subject: ErasureSubject, { change }: { change: boolean }): Promise<number> {
  let found = 0;
  for (let after = 0n; ; ) {
    const events = await readReadableEvents(pool, subject, after);
    const erased = events
      .filter(({ textReferences, leaf }) => textReferences === null && !leaf)
      .map((event) => ({ event, payload: nullMembers(event.payload, subject.members) }))
      .filter(({ event, payload }) => payload !== event.payload);
    found += erased.length;
    if (change && erased.length > 0) {
      await pool.query(
        `UPDATE events SET payload = v.payload, leaf = v.leaf
         FROM (SELECT unnest($2::bigint[]), unnest(${jsonArray('$3')}), unnest($4::bytea[])) AS v (sequence, payload, leaf)
         WHERE events.book_id = $1 AND events.sequence = v.sequence AND events.sequence = ANY ($2::bigint[]) AND events.leaf IS NULL`,
        [
          subject.bookId,
          plainArray(column(erased, ({ event }) => event.sequence)),
          joinedJson(column(erased, ({ payload }) => payload)),
          byteaArray(column(erased, ({ event }) => eventDigest(subject.bookId, event))),
        ],
      );
    }
    if (events.length < EVENTS) return found;
    after = further('events', after, events.at(-1)!.sequence);
  }
}

interface StoredAnswer {
  key: string;
  body: string | null;
  /** The object of the family that the answer is about; null for other objects. */
  about: string | null;
}

export const ANSWERS = 'idempotency_keys: readable answers of before the contract';

/**
 * Answers about the objects of a family, and about transfers to an account. Once for all of them, because every key is read. Resolves
 * to how many contain text; with `change`, to how many were changed. Index: idempotency_keys_pkey, inbound_transfers_pkey.
 */
export async function eachAnswer(
  pool: Pool,
  family: readonly ErasureSubject[],
  { change }: { change: boolean },
): Promise<number> {
  const { bookId } = family[0]!;
  const members = new Map(family.map((subject) => [subject.id as string, subject.members]));
  const account = family.find(({ resource }) => resource.name === 'account')?.id ?? null;
  let found = 0;
  for (let after = ''; ; ) {
    const { rows } = await pool.query<StoredAnswer>(
      `SELECT k.key, CASE WHEN k.about IS NOT NULL THEN k.body END AS body, k.about FROM (
         SELECT key, body, CASE
           WHEN text_references IS NOT NULL OR body IS NULL THEN NULL
           WHEN resource_id = ANY ($2::uuid[]) THEN resource_id
           WHEN $3::uuid IS NOT NULL AND resource = 'inbound_transfer' AND EXISTS (
             SELECT FROM inbound_transfers t WHERE t.book_id = $1 AND t.id = resource_id AND t.account_id = $3) THEN $3
         END AS about
         FROM idempotency_keys WHERE book_id = $1 AND key > $4 ORDER BY key LIMIT ${KEYS}) AS k ORDER BY k.key`,
      [bookId, plainArray(family.map(({ id }) => id)), account, after],
    );
    const erased = rows
      .filter((row) => row.about !== null)
      .map(({ key, body, about }) => ({ key, before: body!, body: nullMembers(body!, members.get(about!)!) }))
      .filter(({ before, body }) => body !== before);
    found += erased.length;
    if (change && erased.length > 0) {
      await pool.query(
        `UPDATE idempotency_keys AS k SET body = v.body
         FROM (SELECT unnest($2::text[]), unnest(${jsonArray('$3')})) AS v (key, body)
         WHERE k.book_id = $1 AND k.key = v.key AND k.key = ANY ($2::text[]) AND k.body IS NOT NULL`,
        [bookId, textArray(column(erased, ({ key }) => key)), joinedJson(column(erased, ({ body }) => body))],
      );
    }
    if (rows.length < KEYS) return found;
    after = elsewhere('idempotency keys', after, rows.at(-1)!.key);
  }
}

export const KEPT_EVENTS: ErasurePlace = {
  name: 'events: readable payloads of before the contract; their leaves are kept',
  columns: [],
  count: (pool, subject) => eachEvent(pool, subject, { change: false }),
  erase: (pool, subject) => eachEvent(pool, subject, { change: true }),
};

export const STATEMENT_FILES = 'report_files: statements of the book';

/**
 * Drops the files of statements that were asked for as reports: names and texts of any object of the book may stand in them. One that is being
 * written loses its file, and is written anew. Their pieces go with them. Indexes: report_files_pkey, reports_pkey; a book keeps some hundred.
 */
export async function dropStatementFiles(pool: Pool, bookId: Uuid): Promise<number> {
  const { rowCount } = await pool.query(
    `DELETE FROM report_files f USING reports r
      WHERE f.book_id = $1 AND r.book_id = $1 AND r.id = f.report_id AND r.type = 'statement'`,
    [bookId],
  );
  return rowCount ?? 0;
}

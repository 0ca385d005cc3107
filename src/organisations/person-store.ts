/** All SQL of people and services, and of the owners of keys. */

import { column, instantArray, plainArray, textArray } from '../db/columns.ts';
import { atCursor } from '../db/cursor.ts';
import { build, type Page, type PageRequest, pageOf, runBuilt } from '../db/page.ts';
import type { Queryable, Transaction } from '../db/pool.ts';
import type { BookId } from '../ledger/book/book.ts';
import type { OwnerKind } from '../values/actor.ts';
import type { Instant } from '../values/clock.ts';
import type { Uuid } from '../values/ids.ts';
import type { Person } from './person.ts';

interface PersonRow {
  organisation_id: string;
  id: string;
  kind: OwnerKind;
  name: string | null;
  created_at: Instant;
  ended_at: Instant | null;
}

const COLUMNS = 'p.organisation_id, p.id, p.kind, p.name, p.created_at, p.ended_at';

/** Adds people and services. A service that has its row already keeps it. */
export async function insertPeople(db: Queryable, people: readonly Person[]): Promise<void> {
  await db.query(
    `INSERT INTO people (organisation_id, id, kind, name, created_at)
     SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::timestamptz[]) ON CONFLICT DO NOTHING`,
    [
      plainArray(column(people, (person) => person.organisationId)),
      plainArray(column(people, (person) => person.id)),
      textArray(column(people, (person) => person.kind)),
      textArray(column(people, (person) => person.name)),
      instantArray(column(people, (person) => person.createdAt)),
    ],
  );
}

/** Finds a person or service by id alone, for an operator who does not know its organisation. A table scan: they are few. */
export async function findPerson(db: Queryable, id: Uuid): Promise<Person | undefined> {
  const { rows } = await db.query<PersonRow>(`SELECT ${COLUMNS} FROM people p WHERE p.id = $1`, [id]);
  return rows[0] && personFromRow(rows[0]);
}

/** A person or service of an organisation. Index: people_pkey. */
export async function findPersonOf(db: Queryable, organisationId: Uuid, id: Uuid): Promise<Person | undefined> {
  const { rows } = await db.query<PersonRow>(
    `SELECT ${COLUMNS} FROM people p WHERE p.organisation_id = $1 AND p.id = $2`,
    [organisationId, id],
  );
  return rows[0] && personFromRow(rows[0]);
}

/** Whether an organisation has several persons who have not ended. Index: people_pkey. */
export async function hasSeveralPersons(db: Queryable, organisationId: Uuid): Promise<boolean> {
  const { rowCount } = await db.query(
    "SELECT 1 FROM people WHERE organisation_id = $1 AND kind = 'person' AND ended_at IS NULL LIMIT 2",
    [organisationId],
  );
  return rowCount === 2;
}

/** People and services of a book's organisation. None of them can end before the transaction is over. Indexes: books_pkey, people_pkey. */
export async function lockPeopleOf(trx: Transaction, bookId: BookId, ids: readonly Uuid[]): Promise<Person[]> {
  const { rows } = await trx.query<PersonRow>({
    name: 'people.lock',
    text: `SELECT ${COLUMNS} FROM people p
      WHERE p.organisation_id = (SELECT organisation_id FROM books WHERE id = $1) AND p.id = ANY ($2::uuid[]) ORDER BY p.id FOR SHARE`,
    values: [bookId, plainArray(ids)],
  });
  return rows.map(personFromRow);
}

export interface ListedPerson extends Person {
  readonly organisationName: string;
  /** Keys that are neither revoked nor expired. */
  readonly validKeys: number;
}

/** A page of people and services, oldest first. */
export async function listPeople(
  db: Queryable,
  page: {
    organisationName: string | undefined;
    now: Instant;
    after: { createdAt: Instant; id: Uuid } | undefined;
    limit: number;
  },
): Promise<ListedPerson[]> {
  const { rows } = await db.query<PersonRow & { organisation_name: string; valid_keys: bigint }>(
    `SELECT ${COLUMNS}, o.name AS organisation_name,
       (SELECT count(*) FROM api_keys k WHERE k.owner_id = p.id AND (k.revoked_at IS NULL OR k.revoked_at > $2)
          AND (k.expires_at IS NULL OR k.expires_at > $2)) AS valid_keys
     FROM people p JOIN organisations o ON o.id = p.organisation_id
     WHERE ($1::text IS NULL OR o.name = $1) AND ($3::timestamptz IS NULL OR (p.created_at, p.id) > ($3, $4::uuid))
     ORDER BY p.created_at, p.id LIMIT $5`,
    [
      page.organisationName ?? null,
      new Date(page.now),
      page.after ? new Date(page.after.createdAt) : null,
      page.after?.id ?? null,
      page.limit,
    ],
  );
  return rows.map((row) => ({
    ...personFromRow(row),
    organisationName: row.organisation_name,
    validKeys: Number(row.valid_keys),
  }));
}

/**
 * People and services of an organisation, newest first. Index: people_by_time; the cursor's row by people_pkey. Throws ApiError
 * `cursor_invalid` for a cursor that is nobody of the organisation.
 */
export async function listPeopleOf(db: Queryable, organisationId: Uuid, page: PageRequest): Promise<Page<Person>> {
  const all = { table: 'people', id: 'id', equal: { organisation_id: organisationId } };
  const cursor = await atCursor<Instant>(db, { all }, { page, column: 'created_at' });
  const order = page.endingBefore === undefined ? 'desc' : 'asc';
  const query = build('people as p')
    .select(build.raw(COLUMNS))
    .where('p.organisation_id', organisationId)
    .whereRaw("p.created_at > '-infinity'");
  if (cursor)
    query.whereRaw(`(p.created_at, p.id) ${order === 'desc' ? '<' : '>'} (?::timestamptz, ?)`, [
      new Date(cursor.value).toISOString(),
      cursor.id,
    ]);
  query
    .orderBy([
      { column: 'p.created_at', order },
      { column: 'p.id', order },
    ])
    .limit(page.limit + 1);
  const { rows, hasMore } = pageOf(await runBuilt<PersonRow>(db, query), page);
  return { rows: rows.map(personFromRow), hasMore };
}

/** Ends a person from `at` on. False when the person has ended before, or does not exist. */
export async function endPersonRow(trx: Transaction, id: Uuid, at: Instant): Promise<boolean> {
  const { rowCount } = await trx.query(
    "UPDATE people SET ended_at = $2 WHERE id = $1 AND kind = 'person' AND ended_at IS NULL",
    [id, new Date(at)],
  );
  return rowCount === 1;
}

/** Revokes the keys of a person, from `at` on, and counts them. */
export async function revokeKeysOf(trx: Transaction, ownerId: Uuid, at: Instant): Promise<number> {
  const { rowCount } = await trx.query(
    `WITH due AS (
       SELECT book_id, id FROM api_keys WHERE owner_id = $1 AND (revoked_at IS NULL OR revoked_at > $2)
        ORDER BY book_id, id FOR NO KEY UPDATE)
     UPDATE api_keys k SET revoked_at = $2, version = k.version + 1, updated_at = greatest(k.updated_at, $2)
       FROM due WHERE k.book_id = due.book_id AND k.id = due.id`,
    [ownerId, new Date(at)],
  );
  return rowCount ?? 0;
}

/** A key from before keys had owners. */
export interface OwnerlessKey {
  readonly bookId: BookId;
  readonly id: Uuid;
  readonly organisationId: Uuid;
  readonly name: string;
  readonly createdAt: Instant;
}

/** A page of keys without an owner, in id order. Index: api_keys_pkey gives no order, so the keys are sorted. */
export async function listOwnerlessKeys(
  db: Queryable,
  page: { after: Uuid | undefined; limit: number },
): Promise<OwnerlessKey[]> {
  const { rows } = await db.query<{
    book_id: string;
    id: string;
    organisation_id: string;
    name: string;
    created_at: Instant;
  }>(
    `SELECT k.book_id, k.id, b.organisation_id, k.name, k.created_at FROM api_keys k JOIN books b ON b.id = k.book_id
     WHERE k.owner_id IS NULL AND ($1::uuid IS NULL OR k.id > $1) ORDER BY k.id LIMIT $2`,
    [page.after ?? null, page.limit],
  );
  return rows.map((row) => ({
    bookId: row.book_id,
    id: row.id,
    organisationId: row.organisation_id,
    name: row.name,
    createdAt: row.created_at,
  }));
}

/**
 * Writes the owners of keys that lack one. Rows that another writer has locked are skipped: the next run finds them.
 * Index: api_keys_pkey.
 */
export async function setOwners(
  db: Queryable,
  owned: readonly { bookId: BookId; id: Uuid; ownerId: Uuid }[],
): Promise<void> {
  await db.query(
    `WITH free AS (
       SELECT k.book_id, k.id, given.owner_id
         FROM unnest($1::uuid[], $2::uuid[], $3::uuid[]) AS given (book_id, id, owner_id)
         JOIN api_keys k ON k.book_id = given.book_id AND k.id = given.id
        WHERE k.owner_id IS NULL ORDER BY k.book_id, k.id FOR NO KEY UPDATE OF k SKIP LOCKED)
     UPDATE api_keys k SET owner_id = free.owner_id, owner_kind = 'service' FROM free WHERE k.book_id = free.book_id AND k.id = free.id`,
    [
      plainArray(column(owned, (key) => key.bookId)),
      plainArray(column(owned, (key) => key.id)),
      plainArray(column(owned, (key) => key.ownerId)),
    ],
  );
}

function personFromRow(row: PersonRow): Person {
  return {
    organisationId: row.organisation_id,
    id: row.id,
    kind: row.kind,
    name: row.name,
    createdAt: row.created_at,
    endedAt: row.ended_at,
  };
}

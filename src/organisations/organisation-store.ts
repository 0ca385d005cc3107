/** All SQL of organisations and of the creation of books. The committer's part of a book is in ledger/book/book-store.ts. */

import { OVERDRAFT_CEILING_DEFAULTS } from '../accounts/account/overdraft-ceiling-store.ts';
import type { Queryable, Transaction } from '../db/pool.ts';
import type { BookId, Mode } from '../ledger/book/book.ts';
import type { Instant } from '../values/clock.ts';
import type { Uuid } from '../values/ids.ts';
import type { Organisation, OrganisationBook, OrganisationKind } from './organisation.ts';

interface OrganisationRow {
  id: string;
  kind: OrganisationKind;
  name: string;
  created_at: Instant;
}

/** Keeps other transactions from adding an organisation until this one ends. Reads are not blocked. */
export async function lockOrganisations(trx: Transaction): Promise<void> {
  await trx.query('LOCK TABLE organisations IN SHARE ROW EXCLUSIVE MODE');
}

export async function insertOrganisation(trx: Transaction, organisation: Organisation): Promise<void> {
  await trx.query('INSERT INTO organisations (id, kind, name, created_at) VALUES ($1, $2, $3, $4)', [
    organisation.id,
    organisation.kind,
    organisation.name,
    new Date(organisation.createdAt),
  ]);
}

export async function insertBook(trx: Transaction, book: OrganisationBook): Promise<void> {
  await trx.query(
    `INSERT INTO books (id, organisation_id, mode, time_zone, entry_sequence, event_sequence, chain_hash, last_posted_at, batch_id, created_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      book.id,
      book.organisationId,
      book.mode,
      book.timeZone,
      book.entrySequence,
      book.eventSequence,
      Buffer.from(book.chainHash, 'hex'),
      new Date(book.lastPostedAt),
      book.batchId,
      new Date(book.createdAt),
    ],
  );
}

/** Customers' organisations of exactly this name, oldest first. A table scan: they are few, and only people look them up by name. */
export async function findOrganisationsByName(db: Queryable, name: string): Promise<Organisation[]> {
  const { rows } = await db.query<OrganisationRow>(
    "SELECT id, kind, name, created_at FROM organisations WHERE name = $1 AND kind = 'customer' ORDER BY created_at, id",
    [name],
  );
  return rows.map(organisationFromRow);
}

/** The operator's organisation. Index: organisations_operator. */
export async function findOperatorOrganisation(db: Queryable): Promise<Organisation | undefined> {
  const { rows } = await db.query<OrganisationRow>(
    "SELECT id, kind, name, created_at FROM organisations WHERE kind = 'operator'",
  );
  return rows[0] && organisationFromRow(rows[0]);
}

/**
 * The ids of the operator's books, by mode: rows that belong to no customer name one of them. Throws before `npm run
 * migrate` has made them. Indexes: organisations_operator, books (organisation_id, mode).
 */
export async function operatorBooks(db: Queryable): Promise<Record<Mode, BookId>> {
  const { rows } = await db.query<{ test: string | null; live: string | null }>(
    `SELECT (SELECT id FROM books WHERE organisation_id = o.id AND mode = 'test') AS test,
       (SELECT id FROM books WHERE organisation_id = o.id AND mode = 'live') AS live
     FROM organisations o WHERE kind = 'operator'`,
  );
  const { test, live } = rows[0] ?? { test: null, live: null };
  if (test === null || live === null) throw new Error('The operator has no books yet: run `npm run migrate`.');
  return { test, live };
}

export async function findOrganisationOfBook(db: Queryable, bookId: BookId): Promise<Uuid | undefined> {
  const { rows } = await db.query<{ organisation_id: string }>('SELECT organisation_id FROM books WHERE id = $1', [
    bookId,
  ]);
  return rows[0]?.organisation_id;
}

/** The id of an organisation's book in a mode. Index: books (organisation_id, mode). */
export async function findBookId(db: Queryable, organisationId: Uuid, mode: Mode): Promise<BookId | undefined> {
  const { rows } = await db.query<{ id: string }>('SELECT id FROM books WHERE organisation_id = $1 AND mode = $2', [
    organisationId,
    mode,
  ]);
  return rows[0]?.id;
}

export interface ListedBook {
  readonly id: BookId;
  readonly organisation: string;
  readonly kind: OrganisationKind;
  readonly mode: Mode;
  readonly overdraftCeiling: bigint;
}

/** A page of books with their organisations, in id order. Indexes: books_pkey, organisations_pkey. */
export async function listBooks(
  db: Queryable,
  page: { after: BookId | undefined; limit: number },
): Promise<ListedBook[]> {
  const { rows } = await db.query<{
    id: BookId;
    organisation: string;
    kind: OrganisationKind;
    mode: Mode;
    ceiling: bigint | null;
  }>(
    `SELECT books.id, organisations.name AS organisation, organisations.kind, books.mode, books.overdraft_ceiling AS ceiling
     FROM (SELECT * FROM books WHERE id > $1 ORDER BY id LIMIT $2) AS books
     JOIN organisations ON organisations.id = books.organisation_id ORDER BY books.id`,
    [page.after ?? '00000000-0000-0000-0000-000000000000', page.limit],
  );
  return rows.map(({ ceiling, ...book }) => ({
    ...book,
    overdraftCeiling: ceiling ?? OVERDRAFT_CEILING_DEFAULTS[book.mode],
  }));
}

function organisationFromRow(row: OrganisationRow): Organisation {
  return { id: row.id, kind: row.kind, name: row.name, createdAt: row.created_at };
}

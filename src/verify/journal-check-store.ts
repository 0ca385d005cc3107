/**
 * Reads the journal from its first entry. All reads stay below a bound that was read before, so no row changes any
 * more.
 */
import { plainArray } from '../db/columns.ts';
import { onlySql } from '../db/keyed-table.ts';
import type { Queryable } from '../db/pool.ts';
import type { BookId } from '../ledger/book/book.ts';
import type { EntryText } from '../ledger/entry/entry.ts';
import { type ReadEntry, readEntries } from '../ledger/journal/journal-read-store.ts';
import type { DeclaredResource } from '../ledger/resources/declared-resource.ts';
import type { Uuid } from '../values/ids.ts';

export interface JournalRow extends ReadEntry {
  /** Null where the entry never had a text, or where the text was erased. */
  text: EntryText | null;
}

/**
 * Reads entries after a sequence, with their texts and postings. Indexes: entries_pkey, postings_pkey,
 * entry_texts_pkey.
 */
export async function readJournal(
  db: Queryable,
  bookId: BookId,
  page: { after: bigint; upTo: bigint; limit: number },
): Promise<JournalRow[]> {
  const entries = await readEntries(db, bookId, page);
  const last = entries.at(-1)?.sequence;
  if (last === undefined) return [];
  const texts = await readTexts(db, bookId, { after: page.after, upTo: last });
  return entries.map((entry) => ({ text: texts.get(entry.sequence) ?? null, ...entry }));
}

async function readTexts(
  db: Queryable,
  bookId: BookId,
  range: { after: bigint; upTo: bigint },
): Promise<Map<bigint, EntryText>> {
  const { rows } = await db.query<{ entry_sequence: bigint; salt: Buffer; description: string }>({
    name: 'verify.texts',
    text: `SELECT entry_sequence, salt, description FROM entry_texts
      WHERE book_id = $1 AND entry_sequence > $2 AND entry_sequence <= $3`,
    values: [bookId, range.after, range.upTo],
  });
  return new Map(rows.map(({ entry_sequence, salt, description }) => [entry_sequence, { salt, description }]));
}

/** Finds which of these rows exist, by the name of their resource. Indexes: the primary keys. */
export async function findResources(
  db: Queryable,
  bookId: BookId,
  { resources, idsOf }: { resources: readonly DeclaredResource[]; idsOf: (name: string) => readonly Uuid[] },
): Promise<Set<string>> {
  const { rows } = await db.query<{ name: string; id: string }>({
    name: 'verify.resources',
    text: resources
      .map(
        ({ name, table: { name: table, key }, only }, index) =>
          `SELECT '${name}' AS name, ${key} AS id FROM ${table} WHERE book_id = $1 AND ${key} = ANY ($${index + 2}::uuid[])${onlySql(only)}`,
      )
      .join(' UNION ALL '),
    values: [bookId, ...resources.map(({ name }) => plainArray(idsOf(name)))],
  });
  return new Set(rows.map(({ name, id }) => `${name} ${id}`));
}

export interface StepRow {
  readonly resourceId: Uuid;
  readonly step: string;
  readonly sequence: bigint;
}

/**
 * Reads steps ordered by resource, so that a step booked twice stands beside its repetition. Index: the unique index
 * over (book, resource, step). The check does not rely on its uniqueness: an index can be dropped or broken. The index
 * leaves out rows without a resource, and only by `resource_id >= $2` does the planner know that it may leave them out
 * too.
 */
export async function readSteps(
  db: Queryable,
  bookId: BookId,
  page: { after: StepRow | undefined; upTo: bigint; limit: number },
): Promise<StepRow[]> {
  const { rows } = await db.query<{ resource_id: string; step: string; sequence: bigint }>({
    name: 'verify.steps',
    text: `SELECT resource_id, step, sequence FROM entries
      WHERE book_id = $1 AND resource_id >= $2 AND (resource_id, step) >= ($2, $3) AND (resource_id, step, sequence) > ($2, $3, $4) AND sequence <= $5
      ORDER BY resource_id, step, sequence LIMIT $6`,
    values: [
      bookId,
      page.after?.resourceId ?? '00000000-0000-0000-0000-000000000000',
      page.after?.step ?? '',
      page.after?.sequence ?? 0n,
      page.upTo,
      page.limit,
    ],
  });
  return rows.map((row) => ({ resourceId: row.resource_id, step: row.step, sequence: row.sequence }));
}

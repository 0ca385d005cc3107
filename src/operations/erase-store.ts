/**
 * The places that store personal text of an object, beside events and stored answers (erase-kept-store.ts). Each place is
 * counted, and erased in steps of a few hundred rows, each a database transaction of its own that can be repeated. Run by the
 * owner's role: the application may delete none of it.
 */

import { onlySql } from '../db/keyed-table.ts';
import type { Pool, Transaction } from '../db/pool.ts';
import { inTransaction } from '../db/transaction.ts';
import { lockBook, updateBook } from '../ledger/book/book-store.ts';
import { type DeclaredResource, hasPersonalText } from '../ledger/resources/declared-resource.ts';
import { newId, type ResourceName, type Uuid } from '../values/ids.ts';
import { NoProgress } from '../values/progress.ts';
import type { ErasureSubject } from './erasable.ts';

type Table = DeclaredResource['table'];

/** A place that may store text. */
export interface ErasurePlace {
  /** Table and columns, for people. */
  readonly name: string;
  /** The columns that are erased: `table.column`. A test compares them with the declarations. */
  readonly columns: readonly string[];
  /** How many rows have text; undefined for objects that never have text there. */
  count(pool: Pool, subject: ErasureSubject): Promise<number> | undefined;
  /** Resolves to how many rows were erased. */
  erase(pool: Pool, subject: ErasureSubject): Promise<number>;
}

const ROWS = 500;

/** The book of an object: one probe of the table's key a book. */
export async function findBookOf(pool: Pool, { table }: Pick<DeclaredResource, 'table'>, id: Uuid) {
  const { rows } = await pool.query<{ id: string }>(
    `SELECT books.id FROM books CROSS JOIN LATERAL (
       SELECT FROM ${table.name} AS t WHERE t.book_id = books.id AND t.${table.key} = $1 OFFSET 0) AS found LIMIT 1`,
    [id],
  );
  return rows[0]?.id;
}

/** Tables whose rows change: they have a version and a salt. */
const hasVersion = ({ columns }: Table) => columns.some(({ name }) => name === 'version');

/** The version of an object; 1 for one that never changes. Index: the primary key. */
export async function readVersion(pool: Pool, { resource, bookId, id }: ErasureSubject): Promise<number> {
  const { table } = resource;
  if (!hasVersion(table)) return 1;
  const { rows } = await pool.query<{ version: number }>(
    `SELECT version FROM ${table.name} WHERE book_id = $1 AND ${table.key} = $2`,
    [bookId, id],
  );
  return rows[0]!.version;
}

/** The last erasure of an object that has begun and not finished. Index: erasures_by_object. */
export async function findUnfinished(pool: Pool, { bookId, id }: ErasureSubject): Promise<string | undefined> {
  const { rows } = await pool.query<{ id: string }>(
    `SELECT id FROM erasures WHERE book_id = $1 AND object_id = $2 AND finished_at IS NULL ORDER BY id DESC LIMIT 1`,
    [bookId, id],
  );
  return rows[0]?.id;
}

/** SQL: each personal column has text that may go. */
function filledIn({ columns }: Table): string[] {
  return columns
    .filter((column) => column.personal)
    .map(({ name, type, neededWhile }) => {
      const filled = `${type === 'jsonb' ? `NULLIF(${name}, '{}')` : name} IS NOT NULL`;
      return neededWhile === undefined ? filled : `(${filled} AND NOT (${neededWhile}))`;
    });
}

function emptied({ name, type, neededWhile }: Table['columns'][number]): string {
  if (neededWhile !== undefined) return `${name} = CASE WHEN ${neededWhile} THEN ${name} END`;
  return type === 'jsonb' ? `${name} = CASE WHEN ${name} = '{}' THEN ${name} END` : `${name} = NULL`;
}

/**
 * The row of the object. Under the book's lock, and as a batch of its own: a batch that was decided over the text is decided
 * again, so that no event and no row brings it back. The version counts up, since what the API shows has changed.
 */
export function ownRow({ table }: Pick<DeclaredResource, 'table'>): ErasurePlace {
  const columns = table.columns.filter((column) => column.personal);
  const filled = filledIn(table);
  const where = `book_id = $1 AND ${table.key} = $2 AND (${filled.join(' OR ')})`;
  const counted = hasVersion(table)
    ? ', text_salt = NULL, version = version + 1, updated_at = GREATEST(updated_at, clock_timestamp())'
    : '';
  return {
    name: `${table.name}: ${columns.map(({ name }) => name).join(', ')}`,
    columns: columns.map(({ name }) => `${table.name}.${name}`),
    count: (pool, { bookId, id }) => countRows(pool, `SELECT FROM ${table.name} WHERE ${where}`, [bookId, id]),
    erase: (pool, { bookId, id }) =>
      inTransaction(pool, async (trx: Transaction) => {
        const book = await lockBook(trx, bookId);
        if (book) await updateBook(trx, { ...book, batchId: newId() }, { after: book.batchId });
        const { rowCount } = await trx.query(
          `UPDATE ${table.name} SET ${columns.map(emptied).join(', ')}${counted} WHERE ${where}`,
          [bookId, id],
        );
        return rowCount ?? 0;
      }),
  };
}

/** The transfers that an account received. Index: postings (book_id, credit_account_id, credit_line), entries_pkey. */
const TRANSFERS = `SELECT e.resource_id FROM postings p JOIN entries e ON e.book_id = p.book_id AND e.sequence = p.entry_sequence
  WHERE p.book_id = $1 AND p.credit_account_id = $2 AND e.resource = 'inbound_transfer'`;

/** Objects whose text is erased with the subject: the subject itself, and the transfers of an account. */
const OBJECTS = `SELECT $2::uuid UNION ALL ${TRANSFERS}`;

const texts: ErasurePlace = {
  name: 'personal_texts: what events and answers refer to, with the salts',
  columns: ['personal_texts.text'],
  ...rowsOf('DELETE', 'personal_texts', `object_id IN (${OBJECTS})`),
};

/** The digests stay in the chain. Without text and salt they reveal nothing. */
const entryTexts: ErasurePlace = {
  name: 'entry_texts: descriptions of entries, with their salts',
  columns: ['entry_texts.description'],
  ...rowsOf(
    'DELETE',
    'entry_texts',
    `entry_sequence IN (SELECT e.sequence FROM entries e WHERE e.book_id = $1 AND e.resource_id IN (${OBJECTS}))`,
  ),
};

const transfers: ErasurePlace = {
  name: 'inbound_transfers: descriptions and remittances of transfers to the account',
  columns: ['inbound_transfers.description', 'inbound_transfers.remittance'],
  ...rowsOf(
    'description = NULL, remittance = NULL, text_salt = NULL',
    'inbound_transfers',
    `(description IS NOT NULL OR remittance IS NOT NULL) AND id IN (${TRANSFERS})`,
  ),
};

/** No index leads from an object to its metadata pairs. They are few, and an erasure reads them once. */
const pairs: ErasurePlace = {
  name: 'metadata_index: pairs that lists are filtered by',
  columns: ['metadata_index.key', 'metadata_index.value'],
  ...rowsOf('DELETE', 'metadata_index', 'object_id = $2'),
};

/** Responses of receivers to events of the object: they may contain the text in another wording. */
const answers: ErasurePlace = {
  name: 'webhook_attempts: answers of receivers to events of the object',
  columns: [],
  ...rowsOf(
    'response = NULL',
    'webhook_attempts',
    `response IS NOT NULL AND event_sequence IN (SELECT sequence FROM events WHERE book_id = $1 AND object_id IN (${OBJECTS}))`,
  ),
};

/** The file's name may name a person. The SHA-256 stays, so that an owner of the file can prove that it is the same. */
const evidence: ErasurePlace = {
  name: 'payout_resolutions: the evidence by which a person ended the payout',
  columns: ['payout_resolutions.evidence', 'payout_resolutions.evidence_name', 'payout_resolutions.evidence_sealed'],
  ...rowsOf(
    "evidence = NULL, evidence_sealed = NULL, evidence_name = 'erased'",
    'payout_resolutions',
    `payout_id = $2 AND (evidence IS NOT NULL OR evidence_sealed IS NOT NULL)`,
  ),
};

/** Places beside the row of the object, which is erased first. */
export function placesBeside({ name, table, events, books }: DeclaredResource): readonly ErasurePlace[] {
  return [
    texts,
    ...(table.columns.some((column) => column.name === 'metadata') ? [pairs] : []),
    ...(books ? [entryTexts] : []),
    ...(events.length > 0 ? [answers] : []),
    ...(FURTHER_PLACES[name] ?? []),
  ];
}

const FURTHER_PLACES: Partial<Record<ResourceName, readonly ErasurePlace[]>> = {
  payout: [evidence],
  account: [transfers, entryTexts],
};

/** Objects of one resource: SQL over $1, a book, and $2, the object that they are erased with. */
interface Children {
  readonly resource: DeclaredResource;
  readonly ids: string;
}

/** An account has too many transfers to be erased one by one: `transfers` empties them. */
const ERASED_AS_A_PLACE: readonly ResourceName[] = ['inbound_transfer'];

/** Text that is erased with an object that it does not belong to. */
const ALSO_ERASED: Partial<Record<ResourceName, Partial<Record<ResourceName, string>>>> = {
  payment: { payment_token: 'SELECT stored_token_id FROM payments WHERE book_id = $1 AND id = $2' },
  // The cards that replace one another are one cardholder's, and so are the devices of their tokens.
  card: {
    card: 'SELECT c.id FROM cards o JOIN cards c ON c.book_id = o.book_id AND c.line_id = o.line_id WHERE o.book_id = $1 AND o.id = $2',
    card_token:
      'SELECT k.id FROM cards o JOIN card_tokens k ON k.book_id = o.book_id AND k.line_id = o.line_id WHERE o.book_id = $1 AND o.id = $2',
  },
};

/**
 * What is erased with an object of a resource: its children, and what people wrote about it or a child of it. Indexes:
 * payment_operations_by_payment, payment_disputes_by_payment, account_holds_by_account, cards_by_line, card_tokens_by_line_id,
 * exceptions_by_resource.
 */
export function childrenOf({ name }: DeclaredResource, resources: readonly DeclaredResource[]): Children[] {
  const own = resources.filter((one) => one.parent?.name === name && !ERASED_AS_A_PLACE.includes(one.name));
  const idsOf = ({ table, parent }: DeclaredResource) =>
    `SELECT ${table.key} FROM ${table.name} WHERE book_id = $1 AND ${parent!.column} = $2`;
  const about = [...new Set(own.map(idsOf))].map((ids) => ` UNION ALL ${ids}`).join('');
  const others: Readonly<Record<string, string>> = {
    ...ALSO_ERASED[name],
    exception: `SELECT id FROM exceptions WHERE book_id = $1 AND resource_id IN (SELECT $2::uuid${about})`,
  };
  return [
    ...own
      .filter((child) => hasPersonalText(child) && !others[child.name])
      .map((child) => ({ resource: child, ids: idsOf(child) + onlySql(child.only) })),
    ...resources.flatMap((one) => (others[one.name] ? [{ resource: one, ids: others[one.name]! }] : [])),
  ];
}

/**
 * Objects whose text is erased with the subject's: those that belong to it, and exceptions about any of them. Those with text in
 * their row, or with an erasure that was interrupted: rows of these kinds may get another text, and lose it by an erasure alone.
 */
export async function findChildren(
  pool: Pool,
  resources: readonly DeclaredResource[],
  subject: ErasureSubject,
): Promise<{ resource: DeclaredResource; id: Uuid }[]> {
  const found: { resource: DeclaredResource; id: Uuid }[] = [];
  for (const { resource, ids } of childrenOf(subject.resource, resources)) {
    const { table } = resource;
    const { rows } = await pool.query<{ id: string }>(
      `SELECT t.${table.key} AS id FROM ${table.name} AS t WHERE t.book_id = $1 AND t.${table.key} IN (${ids}) AND t.${table.key} <> $2
         AND (${filledIn(table).join(' OR ')} OR EXISTS (
           SELECT FROM erasures e WHERE e.book_id = $1 AND e.object_id = t.${table.key} AND e.finished_at IS NULL)) ORDER BY 1`,
      [subject.bookId, subject.id],
    );
    found.push(...rows.map(({ id }) => ({ resource, id })));
  }
  return found;
}

/** Deletes rows of a table (`DELETE`), or sets columns of them, a step at a time. */
function rowsOf(change: string, table: string, where: string): Pick<ErasurePlace, 'count' | 'erase'> {
  const places = `SELECT ctid FROM ${table} WHERE book_id = $1 AND ${where} LIMIT ${ROWS}`;
  const statement = change === 'DELETE' ? `DELETE FROM ${table}` : `UPDATE ${table} SET ${change}`;
  const count = (pool: Pool, { bookId, id }: Pick<ErasureSubject, 'bookId' | 'id'>) =>
    countRows(pool, `SELECT FROM ${table} WHERE book_id = $1 AND ${where} AND $2::uuid IS NOT NULL`, [bookId, id]);
  return {
    count,
    async erase(pool, { bookId, id }) {
      const found = await count(pool, { bookId, id });
      for (let erased = 0; ; ) {
        const { rowCount } = await pool.query(
          `${statement} WHERE book_id IS NOT DISTINCT FROM $1 AND ctid = ANY (ARRAY (${places})) AND $2::uuid IS NOT NULL`,
          [bookId, id],
        );
        erased += rowCount ?? 0;
        if ((rowCount ?? 0) < ROWS) return erased;
        // A change that leaves its rows among the selected ones would be repeated for ever.
        if (erased > found + ROWS)
          throw new NoProgress(`${table}: ${erased} rows are erased of ${found}, and more are found.`);
      }
    },
  };
}

async function countRows(pool: Pool, rows: string, values: unknown[]): Promise<number> {
  const { rows: counted } = await pool.query<{ count: bigint }>(`SELECT count(*) FROM (${rows}) AS found`, values);
  return Number(counted[0]!.count);
}

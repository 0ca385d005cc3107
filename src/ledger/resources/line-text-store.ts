/**
 * Texts that resources add to the lines of an account: references and texts, read for a page of lines at once. A resource
 * declares the columns (declared-resource.ts); whoever shows lines is handed a reader of all of them and imports no group.
 */
import { plainArray } from '../../db/columns.ts';
import type { Queryable } from '../../db/pool.ts';
import type { Uuid } from '../../values/ids.ts';
import type { BookId } from '../book/book.ts';
import type { DeclaredResource } from './declared-resource.ts';
import type { LineText } from './line-text.ts';

/** Of lines, in their order, the texts of each. */
export type ReadLineTexts = (
  db: Queryable,
  bookId: BookId,
  lines: readonly { readonly resource: string; readonly resourceId: Uuid }[],
) => Promise<LineText[]>;

const NO_TEXT: LineText = { externalId: null, endToEndId: null, counterparty: null, description: null };

/** One statement for each kind of resource among the lines. */
export function lineTextsOf(resources: readonly DeclaredResource[]): ReadLineTexts {
  const statements = new Map(
    resources
      .filter(({ books, lineText }) => books && lineText !== undefined && Object.keys(lineText).length > 0)
      .map((resource) => [resource.name as string, statementOf(resource)]),
  );
  return async (db, bookId, lines) => {
    const texts = new Map<Uuid, LineText>();
    for (const [resource, text] of statements) {
      const ids = new Set(lines.filter((line) => line.resource === resource).map(({ resourceId }) => resourceId));
      if (ids.size === 0) continue;
      const { rows } = await db.query<LineTextRow>({
        name: `line_texts.${resource}`,
        text,
        values: [bookId, plainArray([...ids])],
      });
      for (const { id, ...row } of rows) texts.set(id, textOf(row));
    }
    return lines.map(({ resourceId }) => texts.get(resourceId) ?? NO_TEXT);
  };
}

interface LineTextRow {
  id: Uuid;
  external_id: string | null;
  end_to_end_id: string | null;
  counterparty: string | null;
  description: string | null;
}

function textOf(row: Omit<LineTextRow, 'id'>): LineText {
  return {
    externalId: row.external_id,
    endToEndId: row.end_to_end_id,
    counterparty: row.counterparty,
    description: row.description,
  };
}

/** Indexes: the primary keys. */
function statementOf({ table, lineText = {} }: DeclaredResource): string {
  const { of, externalId, endToEndId, counterparty, description } = lineText;
  const joined = of && ` LEFT JOIN ${of.table} p ON p.book_id = r.book_id AND p.${of.key} = r.${of.column}`;
  const shown = [
    [externalId, 'external_id'],
    [endToEndId, 'end_to_end_id'],
    [counterparty, 'counterparty'],
    [description, 'description'],
  ].map(([expression, name]) => `(${expression ?? 'NULL'})::text AS ${name}`);
  return `SELECT r.${table.key} AS id, ${shown.join(', ')} FROM ${table.name} r${joined ?? ''}
    WHERE r.book_id = $1 AND r.${table.key} = ANY ($2::uuid[])`;
}

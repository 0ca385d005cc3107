/** Checks for orphan rows: a changed key hides a row from every check that starts from its owner. */

import type { Pool } from '../db/pool.ts';
import type { Check } from '../group/check-context.ts';
import type { Finding } from '../group/finding.ts';
import type { DeclaredResource } from '../ledger/resources/declared-resource.ts';
import { findOrphanBooks, LEDGER_TABLES, readNamedEntries } from './orphan-store.ts';

/** Orphan rows within one book. */
export const orphanCheck: Check = {
  name: 'orphan rows',
  async run({ pool, book, report }) {
    for (const { table, least, greatest, head } of await readNamedEntries(pool, book.id)) {
      const orphan = [least, greatest].find((sequence) => sequence !== null && (sequence < 1n || sequence > head));
      if (orphan === undefined || orphan === null) continue;
      report({
        check: 'journal.orphan',
        ids: { table, sequence: `${orphan}` },
        expected: `an entry from 1 to ${head}`,
        actual: `entry ${orphan}`,
        detail: `A row of ${table} belongs to an entry that does not exist.`,
      });
    }
  },
};

/** Orphan rows whose book does not exist. */
export async function checkOrphanBooks(
  pool: Pool,
  { resources, report }: { resources: readonly DeclaredResource[]; report: (finding: Finding) => void },
): Promise<void> {
  const tables = new Set([...LEDGER_TABLES, ...resources.map(({ table }) => table.name)]);
  for (const { table, bookId } of await findOrphanBooks(pool, tables)) {
    report({
      check: 'journal.orphan',
      book: bookId,
      ids: { table },
      expected: 'rows of books that exist',
      actual: 'a book that does not',
      detail: `Rows of ${table} belong to a book that does not exist.`,
    });
  }
}

/** What verify finds wrong in a book. */
import type { Finding } from '../../src/group/finding.ts';
import { GROUPS } from '../../src/groups.ts';
import { verifyDatabase } from '../../src/verify/verify-database.ts';
import type { TestBook } from './book.ts';

export async function findingsOf({ pool, id: bookId }: Pick<TestBook, 'pool' | 'id'>): Promise<Finding[]> {
  const found: Finding[] = [];
  await verifyDatabase(pool, { groups: GROUPS, bookId, onFinding: (finding) => found.push(finding) });
  return found;
}

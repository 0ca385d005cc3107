/** What verify finds wrong in a book. */
import type { Finding } from '../../src/group/finding.ts';
import { GROUPS } from '../../src/groups.ts';
import { type Instant, systemClock } from '../../src/values/clock.ts';
import { verifyDatabase } from '../../src/verify/verify-database.ts';
import { verifySince } from '../../src/verify/verify-since.ts';
import type { TestBook } from './book.ts';

/** What it finds among the rows since a moment. */
export async function findingsSince(
  { pool, id: bookId }: Pick<TestBook, 'pool' | 'id'>,
  moment: Instant,
): Promise<Finding[]> {
  const found: Finding[] = [];
  const onFinding = (finding: Finding) => found.push(finding);
  await verifySince(pool, { groups: GROUPS, since: { moment }, clock: systemClock, bookId, onFinding });
  return found;
}

export async function findingsOf({ pool, id: bookId }: Pick<TestBook, 'pool' | 'id'>): Promise<Finding[]> {
  const found: Finding[] = [];
  await verifyDatabase(pool, { groups: GROUPS, bookId, onFinding: (finding) => found.push(finding) });
  return found;
}

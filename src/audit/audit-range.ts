/** Verifies a range of one book while the ledger posts, with the totals of the book as they are now: for whoever closes its days. */
import type { Pool } from '../db/pool.ts';
import type { CheckContext } from '../group/check-context.ts';
import type { Finding } from '../group/finding.ts';
import type { Group } from '../group/group.ts';
import type { BookId } from '../ledger/book/book.ts';
import { bookCheck } from '../verify/book-check.ts';
import { tiedCodes } from '../verify/tied-rows.ts';
import { NoSuchBook } from '../verify/verify-database.ts';
import { checkRange, type Range } from '../verify/verify-range.ts';
import { readHead } from '../verify/window-store.ts';

interface AuditRange extends Range {
  readonly groups: readonly Group[];
  readonly bookId: BookId;
  readonly onFinding: (finding: Finding) => void;
}

/** Reports findings as they come up. Throws NoSuchBook, and the database's own errors. */
export async function auditRange(pool: Pool, { groups, bookId, onFinding, ...range }: AuditRange): Promise<void> {
  const book = await readHead(pool, bookId);
  if (!book) throw new NoSuchBook(`There is no book ${bookId}`);
  const context: CheckContext = {
    pool,
    book,
    resources: groups.flatMap((group) => group.resources),
    tied: tiedCodes(groups),
    report: (finding) => onFinding({ ...finding, book: bookId }),
    advance: () => undefined,
  };
  await checkRange(context, groups, range);
  await bookCheck.run(context);
}

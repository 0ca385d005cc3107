/**
 * What the approval of exceptions begins in another group, in the same commit: what was approved takes effect by itself, and a kill behind the commit
 * loses nothing of it. The exceptions are handed it as accounts are handed what keeps them open.
 */
import type { Queryable } from '../db/pool.ts';
import type { BookId } from '../ledger/book/book.ts';
import type { Touch } from '../ledger/command/command.ts';
import type { Draft } from '../ledger/command/draft.ts';
import type { Uuid } from '../values/ids.ts';

/** An exception as it is approved. */
export interface ApprovedCase {
  readonly kind: string;
  readonly resource: string;
  readonly resourceId: Uuid;
  /** Where its money goes. Null where it goes nowhere. */
  readonly targetAccountId: Uuid | null;
}

export interface ApprovalFollow {
  /** In the book where it begins. Undefined where nothing follows. */
  prepare(db: Queryable, bookId: BookId, approved: readonly ApprovedCase[]): Promise<Followed | undefined>;
}

export interface Followed {
  /** What `begin` reads and writes. */
  readonly touches: readonly Touch[];
  begin(draft: Draft): void;
}

/** All that follows, of every group. */
export async function followedBy(
  follows: readonly ApprovalFollow[],
  db: Queryable,
  { bookId, approved }: { readonly bookId: BookId; readonly approved: readonly ApprovedCase[] },
): Promise<Followed[]> {
  const found = await Promise.all(follows.map((one) => one.prepare(db, bookId, approved)));
  return found.filter((one) => one !== undefined);
}

/** What totals behind the journal have of accounts, held against the lines of the journal before anything is made of it. */
import type { Queryable } from '../../../db/pool.ts';
import { publicId, type Uuid } from '../../../values/ids.ts';
import type { Side } from '../../account/account.ts';
import type { BookId } from '../../book/book.ts';
import { loadPostedAt } from '../balances-at-store.ts';
import { coverOf } from './blocks.ts';
import { type BlocksOfAccount, readFolded, sumBlocksOfAccounts } from './folded-store.ts';

export interface FoldedAccount extends BlocksOfAccount {
  readonly side: Side;
  /** Its last line that is in the totals; 0n without one. */
  readonly line: bigint;
  /** The posted balance behind that line, on the account's own side. */
  readonly posted: bigint;
}

/** Figures do not agree with each other, or with the journal. */
export class FigureContradicted extends Error {
  override name = 'FigureContradicted';
}

/**
 * Of entries up to a sequence, as far as they are folded: lines behind `line` are not in it. Throws FigureContradicted where all that was folded of
 * an account is not the balance that its lines carry.
 */
export async function loadFoldedAccounts(
  db: Queryable,
  bookId: BookId,
  {
    ids,
    sequence,
    from,
    to,
  }: { readonly ids: readonly Uuid[]; readonly sequence: bigint; readonly from: string; readonly to: string },
): Promise<Map<Uuid, FoldedAccount>> {
  const { blocks, upTo } = coverOf(sequence, await readFolded(db, bookId));
  const standing = new Map((await loadPostedAt(db, bookId, upTo, ids)).map((one) => [one.id, one]));
  const folded = new Map<Uuid, FoldedAccount>();
  for (const sums of await sumBlocksOfAccounts(db, bookId, { ids, blocks, from, to })) {
    const { side, line, posted } = standing.get(sums.id)!;
    const moved = onSide(side, sums);
    if (moved !== posted)
      throw new FigureContradicted(
        `Of ${publicId('account', sums.id)}, lines up to entry ${upTo} come to ${posted}, and totals of the journal to ${moved}. Run \`npm run verify\`.`,
      );
    folded.set(sums.id, { ...sums, side, line, posted });
  }
  return folded;
}

/** Debits and credits on the side on which the account grows. */
export function onSide(side: Side, { debits, credits }: { readonly debits: bigint; readonly credits: bigint }): bigint {
  return side === 'debit' ? debits - credits : credits - debits;
}

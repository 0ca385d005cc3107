/** The lines of an entry, one posting after the other: what each leaves its two accounts, or the refusal of the first that cannot be. */
import type { Uuid } from '../../values/ids.ts';
import {
  type Account,
  covers,
  type Direction,
  type PostingPermissions,
  type PostingRefusal,
  withHeld,
} from '../account/account.ts';
import { type ClosedPermissions, moveBy } from '../account/closed-accounts.ts';
import { newPosting, type Posting, type PostingDraft } from './entry.ts';

export interface LinesRequest extends Omit<PostingPermissions, 'allowClosed'>, ClosedPermissions {
  readonly postings: readonly PostingDraft[];
}

export interface PostedLines {
  /** The accounts as the last line leaves them. */
  readonly moved: ReadonlyMap<Uuid, Account>;
  readonly postings: readonly Posting[];
  readonly floorOverridden: boolean;
  /** What is captured of holds. */
  readonly captured: readonly { readonly hold: Uuid; readonly amount: bigint }[];
}

/**
 * Postings of zero are omitted. Throws RangeError for a negative amount, for a posting within one account, and where nothing is left to
 * post.
 */
export function postLines(request: LinesRequest, accountOf: (id: Uuid) => Account): PostedLines | PostingRefusal {
  const moved = new Map<Uuid, Account>();
  const postings: Posting[] = [];
  const captured: { hold: Uuid; amount: bigint }[] = [];
  let floorOverridden = false;
  for (const [index, { debit, credit, amount, hold }] of request.postings.entries()) {
    if (amount === 0n) continue;
    if (amount < 0n) throw new RangeError('A posting moves a positive amount');
    if (debit === credit) throw new RangeError('A posting moves between two accounts');
    const before = moved.get(debit) ?? accountOf(debit);
    const payer = hold === undefined ? before : withHeld(before, -amount);
    const target = moved.get(credit) ?? accountOf(credit);
    const { currency } = payer;
    floorOverridden ||= breaksFloor(payer, 'debit', amount) || breaksFloor(target, 'credit', amount);
    // What was held was reserved: it leaves a frozen account, and one that a forced entry has taken below its floor since.
    const permissions = hold === undefined ? request : { ...request, allowFrozen: true, heldOn: debit };
    const debited = moveBy(permissions, payer, { direction: 'debit', amount, currency });
    if (isRefusal(debited)) return { ...debited, posting: index };
    const credited = moveBy(request, target, { direction: 'credit', amount, currency });
    if (isRefusal(credited)) return { ...credited, posting: index };
    moved.set(debit, debited);
    moved.set(credit, credited);
    if (hold !== undefined) captured.push({ hold, amount });
    postings.push(newPosting({ ordinal: postings.length + 1, amount, debited, credited }));
  }
  if (postings.length === 0) throw new RangeError('An entry has at least one posting');
  return { moved, postings, floorOverridden, captured };
}

export function isRefusal(result: object): result is PostingRefusal {
  return 'accountId' in result;
}

/** Whether the line takes the account below its floor. Without a permission, move() refuses such a line. */
function breaksFloor(account: Account, direction: Direction, amount: bigint): boolean {
  return direction !== account.side && !covers(account, amount);
}

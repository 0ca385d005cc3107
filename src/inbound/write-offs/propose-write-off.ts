/**
 * Puts before the operator's people what an account owes and nobody will pay. Nothing is booked until two of them have explained and approved it.
 * Until then the operator may withdraw it.
 */
import { accountProfiles } from '../../accounts/account/account-profile-table.ts';
import type { Pool, Queryable } from '../../db/pool.ts';
import { isEnded } from '../../exceptions/exception.ts';
import { exceptions } from '../../exceptions/exception-table.ts';
import { endWithoutBooking } from '../../exceptions/handle-exception.ts';
import { openException } from '../../exceptions/open-exception.ts';
import { BadInput } from '../../intake/bad-input.ts';
import { posted } from '../../ledger/account/account.ts';
import { accounts } from '../../ledger/account/account-table.ts';
import type { BookId } from '../../ledger/book/book.ts';
import { loadBook } from '../../ledger/book/book-store.ts';
import type { Command } from '../../ledger/command/command.ts';
import { Draft } from '../../ledger/command/draft.ts';
import type { Committer } from '../../ledger/commit/committer.ts';
import { newSalt } from '../../ledger/rows/personal-text.ts';
import { formatAmount } from '../../money/amount.ts';
import { operatorBooks } from '../../organisations/organisation-store.ts';
import { deriveId, newId, publicId, type Uuid } from '../../values/ids.ts';
import { ABOUT_WRITE_OFFS, type WriteOff } from './write-off.ts';
import { countEndedWriteOffs, findOpenWriteOff, writeOffs } from './write-off-table.ts';

export interface WriteOffRuntime {
  readonly pool: Pool;
  readonly committer: Pick<Committer, 'submit'>;
}

export interface CheckedWriteOff {
  /** The operator's. */
  readonly bookId: BookId;
  readonly ofBook: BookId;
  readonly accountId: Uuid;
  readonly currency: string;
  readonly amount: bigint;
  /** What the account owes by now. */
  readonly owed: bigint;
  /** How many write-offs of the account have ended. The id of this one follows from it: two proposals at once are one. */
  readonly before: number;
}

/**
 * `amount`: in minor units; left out, all that the account owes. Throws BadInput for an account that the book does not have or that owes less, and
 * where another write-off of it is under way.
 */
export async function checkWriteOff(
  db: Queryable,
  { ofBook, accountId, amount }: { readonly ofBook: BookId; readonly accountId: Uuid; readonly amount?: bigint },
): Promise<CheckedWriteOff> {
  const books = await operatorBooks(db);
  const book = await loadBook(db, ofBook);
  if (!book || ofBook === books.test || ofBook === books.live)
    throw new BadInput(null, `${publicId('book', ofBook)} is no book of a customer.`);
  const shown = publicId('account', accountId);
  const account = await accounts.find(db, ofBook, accountId);
  if (account?.code !== 'customer' || !(await accountProfiles.find(db, ofBook, accountId)))
    throw new BadInput(null, `${shown} is no account of a customer of this book (acct_…).`);
  const { currency } = account;
  const owed = -posted(account);
  if (owed <= 0n) throw new BadInput(null, `${shown} owes nothing: it has ${formatAmount(-owed, currency)}.`);
  if (amount !== undefined && amount > owed)
    throw new BadInput(null, `${shown} owes ${formatAmount(owed, currency)}. At most that is written off.`);
  const bookId = books[book.mode];
  // Before the one that is open: one that is proposed meanwhile has the id of this one.
  const before = await countEndedWriteOffs(db, bookId, accountId);
  const open = await findOpenWriteOff(db, bookId, accountId);
  if (open) throw underWay(open);
  return { bookId, ofBook, accountId, currency, amount: amount ?? owed, owed, before };
}

function underWay({ id, accountId, amount, currency }: WriteOff): BadInput {
  return new BadInput(
    null,
    `${publicId('account', accountId)} has a write-off of ${formatAmount(amount, currency)} under way (${publicId('exception', exceptionIdOf(id))}). Book or withdraw that one first.`,
  );
}

/** The exception that asks two persons about it. */
export const exceptionIdOf = (writeOffId: Uuid): Uuid => deriveId('exception', writeOffId, ABOUT_WRITE_OFFS.kind);

/** Resolves to the row, also where the same was proposed at the same time. Throws BadInput where another amount was, or it went on meanwhile. */
export async function proposeWriteOff(
  { committer }: Pick<WriteOffRuntime, 'committer'>,
  checked: CheckedWriteOff,
): Promise<WriteOff> {
  const writeOff = await committer.submit(checked.bookId, openWriteOff(checked));
  if (writeOff.amount !== checked.amount || writeOff.status !== 'proposed') throw underWay(writeOff);
  return writeOff;
}

function openWriteOff(checked: CheckedWriteOff): Command<WriteOff> {
  const origin = { id: newId(), requestId: newId() };
  const { ofBook, accountId, currency, amount, before } = checked;
  const id = deriveId('write_off', accountId, String(before));
  return {
    ...origin,
    name: 'write_off.propose',
    touches: [
      { table: writeOffs, ids: [id] },
      { table: exceptions, ids: [exceptionIdOf(id)] },
    ],
    decide(state, moment) {
      const draft = new Draft(state, origin, moment);
      const { book: now } = moment;
      const known = draft.get(writeOffs, id);
      if (known) return draft.finish(known);
      const writeOff = draft.put<WriteOff>(writeOffs, id, {
        ...{ id, ofBook, accountId, currency, amount, status: 'proposed', transferId: null, bookedAmount: null },
        ...{ createdAt: now, updatedAt: now },
      });
      openException(draft, {
        ...{ id: exceptionIdOf(id), ...ABOUT_WRITE_OFFS, resourceId: id, detail: detailOf(checked) },
      });
      return draft.finish(writeOff);
    },
  };
}

function detailOf({ ofBook, accountId, currency, amount, owed }: CheckedWriteOff): string {
  const of = `${publicId('account', accountId)} of ${publicId('book', ofBook)}`;
  return `${of} owes ${formatAmount(owed, currency)}. ${formatAmount(amount, currency)} of it are to be written off, as a loss of the operator. Nothing is booked until two persons have explained and approved it, and it is booked.`;
}

/** Ends its exception without a booking. Throws BadInput once it is approved. `actor`: the operator. */
export async function withdrawWriteOff(
  { committer }: WriteOffRuntime,
  { bookId, id, actor }: { readonly bookId: BookId; readonly id: Uuid; readonly actor: string },
): Promise<WriteOff> {
  const now = await committer.submit(bookId, withdraw(id, actor));
  if (now.status === 'withdrawn') return now;
  throw new BadInput(null, 'It is approved by two persons: it is booked, or is to be.');
}

const WITHDRAWN = 'The operator has withdrawn it.';

function withdraw(id: Uuid, actor: string): Command<WriteOff> {
  const origin = { id: newId(), requestId: newId(), actor };
  const exceptionId = exceptionIdOf(id);
  const salt = newSalt();
  return {
    ...origin,
    name: 'write_off.withdraw',
    touches: [
      { table: writeOffs, ids: [id] },
      { table: exceptions, ids: [exceptionId] },
    ],
    decide(state, moment) {
      const draft = new Draft(state, origin, moment);
      const writeOff = draft.get(writeOffs, id)!;
      const exception = draft.get(exceptions, exceptionId)!;
      if (writeOff.status !== 'proposed' || isEnded(exception)) return draft.finish(writeOff);
      endWithoutBooking(draft, exception, { actor, approvedBy: actor, reason: WITHDRAWN, salt });
      return draft.finish(
        draft.put<WriteOff>(writeOffs, id, { ...writeOff, status: 'withdrawn', updatedAt: moment.book }),
      );
    },
  };
}

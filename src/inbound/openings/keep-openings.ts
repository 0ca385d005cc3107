/**
 * Takes a file of customers' opening balances: checked whole against the accounts of their book, kept sealed in the operator's book, and put
 * before the operator's people by an exception. Nothing is booked until two of them have explained and approved it.
 */

import { accountProfiles } from '../../accounts/account/account-profile-table.ts';
import type { Pool, Queryable } from '../../db/pool.ts';
import type { SecretBox } from '../../db/secret-box.ts';
import type { Exception } from '../../exceptions/exception.ts';
import { exceptions } from '../../exceptions/exception-table.ts';
import { openOnce } from '../../exceptions/open-exception.ts';
import { BadInput } from '../../intake/bad-input.ts';
import { inKeepingTransaction, keepFile } from '../../intake/sealed-file.ts';
import { accounts } from '../../ledger/account/account-table.ts';
import type { BookId } from '../../ledger/book/book.ts';
import { loadBook } from '../../ledger/book/book-store.ts';
import type { Committer } from '../../ledger/commit/committer.ts';
import { formatAmount } from '../../money/amount.ts';
import { operatorBooks } from '../../organisations/organisation-store.ts';
import type { Clock } from '../../values/clock.ts';
import { deriveId, newId, parsePublicId, publicId, type Uuid } from '../../values/ids.ts';
import { type OpeningFile, type OpeningLine, readOpenings } from './opening-file.ts';
import { findOpeningsOf, insertOpenings, type KeptOpenings } from './opening-file-store.ts';

/** What exceptions about files of opening balances are about, and their kind. */
export const ABOUT_OPENINGS = { kind: 'opening_balances', resource: 'opening_file' } as const;

export interface OpeningRuntime {
  readonly pool: Pool;
  readonly committer: Pick<Committer, 'submit'>;
  readonly secretBox: SecretBox;
  readonly clock: Clock;
}

/** A line of a customer, with its account. */
export interface CustomerLine extends OpeningLine {
  readonly accountId: Uuid;
}

export interface CheckedOpenings extends OpeningFile {
  /** The operator's. */
  readonly bookId: BookId;
  readonly ofBook: BookId;
  /** The lines that book something. */
  readonly booking: readonly CustomerLine[];
}

/** Of one statement. */
const ACCOUNTS_PER_PAGE = 1_000;
/** The same for an id of no form, of another book, and of an account that is no customer's. */
const UNKNOWN = 'is no account of a customer of this book (acct_…)';

/**
 * Throws BadInput with the line: for an account that is unknown, closed or of another currency, and for less than zero. `mayBeClosed`: once some
 * of its lines are booked, an account that was closed since keeps its own line from being booked, and no other.
 */
export async function checkOpenings(
  db: Queryable,
  ofBook: BookId,
  bytes: Buffer,
  { mayBeClosed = false }: { readonly mayBeClosed?: boolean } = {},
): Promise<CheckedOpenings> {
  const books = await operatorBooks(db);
  const book = await loadBook(db, ofBook);
  if (!book || ofBook === books.test || ofBook === books.live)
    throw new BadInput(null, `${publicId('book', ofBook)} is no book of a customer.`);
  const file = readOpenings(bytes);
  const lines = file.lines.map((line): CustomerLine => {
    const accountId = parsePublicId('account', line.account);
    if (accountId === undefined) throw new BadInput(line.row, `${line.account} ${UNKNOWN}.`);
    if (line.amount < 0n)
      throw new BadInput(line.row, 'The amount is less than zero. What a customer owes is booked by the operator.');
    return { ...line, accountId };
  });
  for (let at = 0; at < lines.length; at += ACCOUNTS_PER_PAGE)
    await checkAccounts(db, ofBook, lines.slice(at, at + ACCOUNTS_PER_PAGE), mayBeClosed);
  const booking = lines.filter(({ amount }) => amount > 0n);
  if (booking.length === 0) throw new BadInput(null, 'No line has an amount.');
  return { ...file, bookId: books[book.mode], ofBook, booking };
}

/** Indexes: accounts_pkey, account_profiles_pkey. */
async function checkAccounts(
  db: Queryable,
  bookId: BookId,
  lines: readonly CustomerLine[],
  mayBeClosed: boolean,
): Promise<void> {
  const ids = lines.map(({ accountId }) => accountId);
  const found = await accounts.load(db, bookId, ids);
  const profiles = await accountProfiles.load(db, bookId, ids);
  for (const { row, account, accountId, currency } of lines) {
    const known = found.get(accountId);
    if (known?.code !== 'customer' || !profiles.has(accountId)) throw new BadInput(row, `${account} ${UNKNOWN}.`);
    if (known.currency !== currency) throw new BadInput(row, `${account} is kept in ${known.currency}.`);
    if (known.status === 'closed' && !mayBeClosed) throw new BadInput(row, `${account} is closed.`);
  }
}

export interface TakenOpenings {
  readonly openings: KeptOpenings;
  readonly exception: Exception;
  /** The same file of the same book had come before. */
  readonly known: boolean;
}

/** The same bytes for the same book are one file and one exception. Killed in between, it is run again and goes on. */
export async function keepOpenings(
  runtime: OpeningRuntime,
  checked: CheckedOpenings,
  { bytes, name }: { readonly bytes: Buffer; readonly name: string },
): Promise<TakenOpenings> {
  const { pool, secretBox, committer, clock } = runtime;
  const { bookId, ofBook, sha256, booking } = checked;
  const before = await findOpeningsOf(pool, bookId, checked);
  const totals = checked.totals.map(({ currency, amount }) => ({ currency, amount: String(amount) }));
  if (before === undefined)
    await inKeepingTransaction(pool, async (trx) => {
      const now = clock.now();
      const keeper = await keepFile(trx, secretBox, { bookId, sha256, kind: 'opening_balances', name, now });
      await keeper?.push(bytes);
      keeper?.end();
      await insertOpenings(trx, bookId, { id: newId(), sha256, ofBook, lines: booking.length, totals }, now);
    });
  const openings = before ?? (await findOpeningsOf(pool, bookId, checked))!;
  const id = deriveId('exception', openings.id, ABOUT_OPENINGS.kind);
  await committer.submit(
    bookId,
    openOnce({ id, ...ABOUT_OPENINGS, resourceId: openings.id, detail: detailOf(checked) }),
  );
  return { openings, exception: (await exceptions.find(pool, bookId, id))!, known: before !== undefined };
}

function detailOf({ ofBook, booking, totals, sha256 }: CheckedOpenings): string {
  const sums = totals.map(({ currency, amount }) => formatAmount(amount, currency)).join(', ');
  return `A file of ${booking.length} opening balances of ${publicId('book', ofBook)}, ${sums} in all (SHA-256 ${sha256}). Nothing is booked until two persons have explained and approved it, and it is applied.`;
}

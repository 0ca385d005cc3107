/**
 * Mirrors what books' pools moved in the operator's book of their mode, line by line from the first. Each command names the line that it follows,
 * so a walk that is killed goes on where it was, and two at once mirror nothing twice. No book waits for it.
 */
import type { Pool } from '../../db/pool.ts';
import type { Exception } from '../../exceptions/exception.ts';
import { exceptions } from '../../exceptions/exception-table.ts';
import { type ApprovalFollow, followedBy } from '../../group/approval-follow.ts';
import type { AtBank, BankMovement, BankWord, MirroredBook } from '../../group/at-bank.ts';
import { type AccountLine, readAccountLines } from '../../ledger/account/account-line-store.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Committer } from '../../ledger/commit/committer.ts';
import { failpoint } from '../../process/failpoints.ts';
import { BEFORE_ALL_IDS } from '../../values/ids.ts';
import { further } from '../../values/progress.ts';
import { mirroredPools } from './book-mirror-table.ts';
import { LINES_PER_COMMAND, mirrorLines, type WordedLine } from './mirror-lines.ts';
import { hasBegun, type PoolAccount, readBooksBehind, readPoolAccounts } from './mirrored-pool-store.ts';

export interface MirrorRuntime {
  readonly pool: Pool;
  readonly committer: Pick<Committer, 'submit'>;
  /** Of every group. */
  readonly atBank: readonly AtBank[];
  /** Of every group: what begins once money that was given to a customer's book is mirrored. Left out where all is matched behind the mirror. */
  readonly followsApproval?: readonly ApprovalFollow[];
}

const BOOKS_AT_ONCE = 500;

/** All books of the operator's mode, as far as they are by now. Nothing before the first bank account of the mode. */
export async function mirrorAllBooks(runtime: MirrorRuntime, operatorBookId: BookId): Promise<void> {
  if (!(await hasBegun(runtime.pool, operatorBookId))) return;
  for (let after = BEFORE_ALL_IDS; ; ) {
    const page = await readBooksBehind(runtime.pool, { operatorBookId, after, limit: BOOKS_AT_ONCE });
    await mirrorBooks(
      runtime,
      operatorBookId,
      page.filter(({ isBehind }) => isBehind).map(({ id }) => id),
    );
    if (page.length < BOOKS_AT_ONCE) return;
    after = further('books that are mirrored', after, page.at(-1)!.id);
  }
}

/** These books, one after the other. */
export async function mirrorBooks(
  runtime: MirrorRuntime,
  operatorBookId: BookId,
  bookIds: readonly BookId[],
): Promise<void> {
  for (const bookId of bookIds)
    for (const account of await readPoolAccounts(runtime.pool, bookId))
      await mirrorPool(runtime, { bookId, operatorBookId }, account);
}

async function mirrorPool(
  { pool: db, committer, atBank, followsApproval = [] }: MirrorRuntime,
  of: MirroredBook,
  { id: poolAccountId, currency, lines: upTo }: PoolAccount,
): Promise<void> {
  const { bookId: ofBook, operatorBookId: bookId } = of;
  let behind = (await mirroredPools.find(db, bookId, poolAccountId))?.line ?? 0n;
  while (behind < upTo) {
    const found = await readAccountLines(db, ofBook, poolAccountId, { after: behind, upTo, limit: LINES_PER_COMMAND });
    const lines = await worded(db, { atBank, of }, found);
    const approved = await givenIn(db, ofBook, lines);
    const followed = approved.length === 0 ? [] : await followedBy(followsApproval, db, { bookId, approved });
    const command = mirrorLines({ bookId, pool: { poolAccountId, ofBook, currency }, behind, lines, followed });
    failpoint('mirror.lines.read');
    const mirrored = await committer.submit(bookId, command);
    failpoint('mirror.lines.booked');
    behind = further(`Mirror of pool ${poolAccountId}`, behind, mirrored);
  }
}

/** Its approval was committed in another book than the line of the bank is in: what follows of it there, its mirror begins. */
async function givenIn(db: Pool, ofBook: BookId, lines: readonly WordedLine[]): Promise<Exception[]> {
  const ids = lines.flatMap(({ line }) => (line.resource === 'exception' ? [line.resourceId] : []));
  if (ids.length === 0) return [];
  const found = await exceptions.load(db, ofBook, [...new Set(ids)]);
  return [...found.values()].filter(({ resource }) => resource === 'given_credit');
}

interface Words {
  readonly atBank: readonly AtBank[];
  readonly of: MirroredBook;
}

/** The lines with what their groups state of them. Throws for a line that no group has a word for: nothing behind it is mirrored either. */
async function worded(db: Pool, words: Words, lines: readonly AccountLine[]): Promise<WordedLine[]> {
  const found = await wordsOf(db, words, lines);
  const referred = lines.flatMap((line): AccountLine[] => {
    const word = found.get(line.line);
    return word !== undefined && 'as' in word ? [{ ...line, ...word.as }] : [];
  });
  const others = referred.length === 0 ? new Map<bigint, BankWord>() : await wordsOf(db, words, referred);
  return lines.map((line) => {
    const word = others.get(line.line) ?? found.get(line.line);
    if (word === undefined || 'as' in word)
      throw new Error(
        `Line ${line.line} of the pool of book ${words.of.bookId} is of ${line.resource} ${line.resourceId}, and no group states what a bank shows of it.`,
      );
    return { line, movement: whole(line, word) };
  });
}

function whole(line: AccountLine, movement: BankMovement): BankMovement {
  const sum = movement.against.reduce((all, { amount }) => all + amount, 0n);
  if (sum === line.amount && (movement.expected === null || movement.against.length === 1)) return movement;
  throw new Error(
    `Line ${line.line}: the other sides of ${line.resource} ${line.resourceId} do not come to its amount.`,
  );
}

async function wordsOf(db: Pool, { atBank, of }: Words, lines: readonly AccountLine[]): Promise<Map<bigint, BankWord>> {
  const found = new Map<bigint, BankWord>();
  for (const group of atBank) {
    const own = lines.filter(({ resource }) => (group.resources as readonly string[]).includes(resource));
    if (own.length === 0) continue;
    for (const [line, word] of await group.words(db, of, own)) found.set(line, word);
  }
  return found;
}

/** Releases and posts what waited for what was posted, or for what came beside it, until nothing more follows. */
import type { Pool } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import { retryStaleReads } from '../../ledger/commit/stale-read.ts';
import type { Uuid } from '../../values/ids.ts';
import { elsewhere } from '../../values/progress.ts';
import type { BankAccount } from '../accounts/bank-account.ts';
import { bankAccounts } from '../accounts/bank-account-table.ts';
import { readProgress } from '../lines/bank-line-store.ts';
import type { BankStatement } from '../statements/bank-statement.ts';
import { findBeside, listChained, listWaiting, pagesNear } from '../statements/bank-statement-store.ts';
import { bankStatements } from '../statements/bank-statement-table.ts';
import { type Chained, nextOfChain, type Waiting } from '../statements/chain.ts';
import { arePagesWhole } from '../statements/judge-statement.ts';
import { readReversalsAgain } from '../statements/read-reversals-again.ts';
import { releaseStatements, waitsForOthers } from '../statements/release-statements.ts';
import { IMPORT_ACTOR, type PostRuntime, postStatement } from './post-statement.ts';

interface OfAccount {
  readonly bookId: BookId;
  readonly bankAccountId: Uuid | null;
}

/** Statements of other accounts are left alone; so is what waits while another process posts: that one goes on with it. */
export async function releaseOthers(runtime: PostRuntime, { bookId, bankAccountId }: OfAccount): Promise<void> {
  if (bankAccountId === null) return;
  await readReversalsAgain(runtime, { bookId, bankAccountId });
  let before: readonly Uuid[] | undefined;
  for (;;) {
    const released = await retryStaleReads(() => releaseNext(runtime, { bookId, bankAccountId }));
    if (released.length === 0) return;
    before = elsewhere('statements that are released', before, released);
    for (const id of released) {
      const statement = (await bankStatements.find(runtime.pool, bookId, id))!;
      await postStatement(runtime, { bookId, statement, actor: IMPORT_ACTOR });
    }
  }
}

/** Resolves to the ids of what is released, in the order of the chain. */
async function releaseNext(
  { pool, committer }: PostRuntime,
  { bookId, bankAccountId }: { bookId: BookId; bankAccountId: Uuid },
): Promise<readonly Uuid[]> {
  // What the command compares is read before what follows from it.
  const account = (await bankAccounts.find(pool, bookId, bankAccountId))!;
  if (account.status === 'closed') return [];
  const held = (await listWaiting(pool, bookId, bankAccountId)).filter(waitsForOthers);
  const { waiting, posted } = await readChain(pool, bookId, { account, held, from: account.chainedOn });
  let incomplete: Uuid | undefined;
  for (let left = waiting; ; left = left.filter(({ id }) => id !== incomplete)) {
    const next = nextOfChain(account, left, posted);
    if (next.length === 0) return [];
    incomplete = await findIncomplete(pool, bookId, held, next);
    if (incomplete !== undefined) continue;
    const statements = next.map((id) => held.find((one) => one.id === id)!);
    await committer.submit(bookId, releaseStatements({ account, statements, actor: IMPORT_ACTOR }));
    return next;
  }
}

interface ChainRead {
  readonly account: BankAccount;
  readonly held: readonly BankStatement[];
  /** What is posted from this day on is read, and from the first day of one that waits. */
  readonly from: string | null;
}

/** What waits, and what is posted on its days and behind them. */
export async function readChain(
  pool: Pool,
  bookId: BookId,
  { account: { id, chainedOn }, held, from }: ChainRead,
): Promise<{ waiting: readonly Waiting[]; posted: readonly Chained[] }> {
  const waiting = await chainOf(pool, bookId, held);
  const first = waiting.reduce((day, { on }) => (day === null || on < day ? on : day), from);
  if (chainedOn === null || first === null || first > chainedOn) return { waiting, posted: [] };
  const posted = await listChained(pool, bookId, { bankAccountId: id, from: first });
  // Too far back: where the account stood then does not show.
  return posted === undefined
    ? { waiting: waiting.filter(({ on }) => on > chainedOn), posted: [] }
    : { waiting, posted };
}

/** One whose lines are not all kept is left to the import of its file: that is still reading, and comes here with its last line. */
async function findIncomplete(
  pool: Pool,
  bookId: BookId,
  held: readonly BankStatement[],
  ids: readonly Uuid[],
): Promise<Uuid | undefined> {
  for (const id of ids) {
    const { kept } = await readProgress(pool, bookId, id);
    if (kept < held.find((one) => one.id === id)!.lines) return id;
  }
  return undefined;
}

/** A statement without days is behind all days: it is next wherever its balance fits. */
export const placedOn = (day: string | null) => day ?? '9999-12-31';

/** Those whose balances place them. Of a statement in pages, once all of them are here. */
async function chainOf(pool: Pool, bookId: BookId, held: readonly BankStatement[]): Promise<Waiting[]> {
  const waiting: Waiting[] = [];
  for (const statement of held) {
    const { id, toOn, number, page, opening, closing } = statement;
    if (opening === null || closing === null) continue;
    const pages = await pagesOf(pool, bookId, statement);
    if (page !== null && !arePagesWhole(pages)) continue;
    const before = pages.find((one) => page !== null && one.page === page - 1 && !one.released);
    waiting.push({ id, on: placedOn(toOn), number, page, opening, closing, behind: before?.id ?? null });
  }
  return waiting;
}

/** Pages of its number that are here, itself among them. */
async function pagesOf(pool: Pool, bookId: BookId, { bankAccountId, number, toOn: to, page }: BankStatement) {
  const beside = page === null ? [] : await findBeside(pool, bookId, { bankAccountId: bankAccountId!, number, to });
  return pagesNear(beside, to);
}

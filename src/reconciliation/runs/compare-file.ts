/**
 * Takes a file for a book's own comparison: its statements and lines are kept, and matched with the lines of an account of the book. Nothing is
 * posted. Killed anywhere and run again over the same file, it goes on where it was; a statement that another file brought is known.
 */
import { createHash } from 'node:crypto';
import { accounts } from '../../ledger/account/account-table.ts';
import type { BookId } from '../../ledger/book/book.ts';
import { failpoint } from '../../process/failpoints.ts';
import type { Uuid } from '../../values/ids.ts';
import type { TakeLinesRuntime } from '../items/take-lines.ts';
import { isCompared } from '../statements/bank-statement.ts';
import { findBesideCompared } from '../statements/bank-statement-store.ts';
import { statementIdentities } from '../statements/bank-statement-table.ts';
import {
  type ReceivedStatement,
  receiveStatement,
  type StatementSummary,
  StatementsMeet,
} from '../statements/receive-statement.ts';
import { compareOpen } from './compare-open.ts';
import { endRun, startRun } from './end-run.ts';
import { type BankFile, takeStatements } from './import-file.ts';
import { IMPORT_ACTOR } from './post-statement.ts';
import type { Reconciliation } from './reconciliation.ts';

export interface ComparedFile {
  readonly file: BankFile;
  readonly run: Reconciliation & { readonly comparedAccountId: Uuid };
}

/** A run whose file is kept, from wherever it is. One that has ended stays as it is. */
export async function compareFile(
  runtime: TakeLinesRuntime,
  { file, run }: ComparedFile,
  onTaken: (taken: number, lines: number) => void,
): Promise<Reconciliation> {
  const { bookId } = file;
  const { requestId, comparedAccountId } = run;
  if (run.status === 'completed') return run;
  if (run.status === 'pending') await runtime.committer.submit(bookId, startRun(run));
  const statements = await takeStatements(runtime, file, {
    receive: (summary) => receiveCompared(runtime, { file, run }, summary),
    taken: () => Promise.resolve(),
    onTaken,
  });
  const matching = await compareOpen(runtime, { bookId, comparedAccountId, requestId, through: null });
  failpoint('reconciliation.matched');
  return endRun(runtime, { bookId, run, statements, matching });
}

/** The same statement may be compared with several accounts. */
export function comparedIdentity(accountId: Uuid, identity: string): string {
  return createHash('sha256').update(`${accountId} ${identity}`).digest('hex');
}

async function receiveCompared(
  runtime: TakeLinesRuntime,
  of: ComparedFile,
  read: StatementSummary,
): Promise<ReceivedStatement> {
  const summary = { ...read, identity: comparedIdentity(of.run.comparedAccountId, read.identity) };
  try {
    return await receiveOnce(runtime, of, summary);
  } catch (error) {
    if (error instanceof StatementsMeet) return receiveOnce(runtime, of, summary);
    throw error;
  }
}

async function receiveOnce(
  { pool, committer }: TakeLinesRuntime,
  { file: { bookId, checked }, run }: ComparedFile,
  summary: StatementSummary,
): Promise<ReceivedStatement> {
  const { comparedAccountId, requestId } = run;
  const knownId = (await statementIdentities.find(pool, bookId, summary.identity))?.statementId;
  const { currency } = (await accounts.find(pool, bookId, comparedAccountId))!;
  const input = {
    ...{ summary, reconciliationId: run.id, sha256: checked.sha256, bankAccountId: null, posts: false, pages: [] },
    compared: { accountId: comparedAccountId, currency },
    supersedes: await restatedBy(pool, { bookId, comparedAccountId }, summary),
    ...{ requestId, actor: IMPORT_ACTOR },
  };
  const received = await committer.submit(bookId, receiveStatement(input, knownId));
  const isOwn = received.statement.reconciliationId === run.id;
  return { ...received, known: received.known && !isOwn };
}

/** The statement of the same number and days that this one states more than: only what is new of it is compared. */
async function restatedBy(
  pool: TakeLinesRuntime['pool'],
  { bookId, comparedAccountId }: { readonly bookId: BookId; readonly comparedAccountId: Uuid },
  { statement: { number, from, to, opening, kind, page } }: StatementSummary,
): Promise<Uuid | null> {
  if (opening === null || to === null) return null;
  const beside = await findBesideCompared(pool, bookId, { comparedAccountId, to });
  const before = beside.find(
    (one) =>
      isCompared(one) &&
      one.kind === kind &&
      one.number === number &&
      one.page === (page?.number ?? null) &&
      one.fromOn === from &&
      one.opening !== null,
  );
  return before?.id ?? null;
}

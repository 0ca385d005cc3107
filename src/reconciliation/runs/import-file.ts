/**
 * Takes a bank's file: keeps its bytes, then statement by statement its lines, and posts them. Killed anywhere and run again over the same
 * file, it goes on where it was; a statement that another file brought is known.
 */

import type { Pool } from '../../db/pool.ts';
import type { SecretBox } from '../../db/secret-box.ts';
import type { ReturnedAtBank } from '../../group/at-bank.ts';
import type { HandedFile } from '../../intake/handed-file.ts';
import type { ReadParts } from '../../intake/read-twice.ts';
import { inKeepingTransaction, keepFile } from '../../intake/sealed-file.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Committer } from '../../ledger/commit/committer.ts';
import { retryStaleReads } from '../../ledger/commit/stale-read.ts';
import type { Arrivals } from '../../outside/credits/arrival.ts';
import { plainIdentifier } from '../../outside/credits/credited-account-store.ts';
import { failpoint } from '../../process/failpoints.ts';
import type { Clock } from '../../values/clock.ts';
import { newId, type Uuid } from '../../values/ids.ts';
import { bankAccountIdentifiers, bankAccounts } from '../accounts/bank-account-table.ts';
import { AnyReader } from '../reading/read-file.ts';
import type { BankStatement } from '../statements/bank-statement.ts';
import { findBeside, pagesNear } from '../statements/bank-statement-store.ts';
import { bankStatements, statementIdentities } from '../statements/bank-statement-table.ts';
import {
  type ReceivedStatement,
  receiveStatement,
  type StatementSummary,
  StatementsMeet,
} from '../statements/receive-statement.ts';
import { takeUpStatement, waitsForAccount } from '../statements/take-up-statement.ts';
import { beginRun, dueAgain, endAgain, endRun, type OfCsv, startRun } from './end-run.ts';
import type { CheckedBankFile } from './first-reading.ts';
import { KeptLines } from './kept-lines.ts';
import { matchRun } from './match-run.ts';
import { IMPORT_ACTOR, isUnderWay, postStatement } from './post-statement.ts';
import type { Reconciliation } from './reconciliation.ts';
import { findRun, throwRunMeanwhile } from './reconciliation-table.ts';
import { releaseOthers } from './release-others.ts';
import { NotifiedLines } from './take-notified.ts';

export interface ImportRuntime {
  readonly pool: Pool;
  readonly committer: Pick<Committer, 'submit'>;
  readonly secretBox: SecretBox;
  readonly clock: Clock;
  /** Mirrors all books before lines are matched: what a bank shows is expected by then. */
  readonly mirror: (operatorBookId: BookId) => Promise<void>;
  /** Money that names an account is booked in the account's book before that. */
  readonly arrivals: Arrivals;
  /** A return that a bank shows and two persons have approved is booked in the payout's book. */
  readonly returnAtBank: (returned: ReturnedAtBank) => Promise<void>;
  /** What is given here and a rail reads too. Left out: no rail works by files. */
  readonly handToRails?: ((file: HandedFile) => Promise<void>) | undefined;
}

export interface BankFile {
  readonly bookId: BookId;
  readonly checked: CheckedBankFile;
  /** As people call it. */
  readonly name: string;
  readonly read: ReadParts;
  readonly csv?: OfCsv | undefined;
}

/** `onTaken`: how many lines of the file were read, and how many it has. Throws BadInput where the file has changed since it was checked. */
export async function importFile(
  runtime: ImportRuntime,
  file: BankFile,
  onTaken: (taken: number, lines: number) => void = () => undefined,
): Promise<Reconciliation> {
  const { pool } = runtime;
  const { bookId, checked } = file;
  const of = {
    sha256: checked.sha256,
    ...{ bankAccountId: file.csv?.bankAccountId ?? null, profileId: file.csv?.profileId ?? null },
    comparedAccountId: null,
  };
  const run = await retryStaleReads(async () => {
    const known = await findRun(pool, bookId, of);
    if (known !== undefined) return known;
    await keepBytes(runtime, file);
    const begun = runtime.committer.submit(bookId, beginRun(file, { id: newId(), requestId: newId() }));
    return begun.catch(throwRunMeanwhile);
  });
  return carryOut(runtime, { file, run }, onTaken);
}

/** A run whose file is kept, from wherever it is. */
export async function carryOut(
  runtime: ImportRuntime,
  { file, run }: Running,
  onTaken: (taken: number, lines: number) => void = () => undefined,
): Promise<Reconciliation> {
  const { bookId } = file;
  const { requestId } = run;
  if (run.status === 'completed') {
    const hasPosted = await takeUpHeld(runtime, { file, run });
    // A run that is due was left behind the take-up: it still states that the bank account is not known.
    if (!hasPosted && run.dueAt === null) return run;
    const matching = await matchRun(runtime, { bookId, requestId });
    return endAgain(runtime, { bookId, run, statements: await statementsOf(runtime.pool, file, run), matching });
  }
  if (run.status === 'pending') await runtime.committer.submit(bookId, startRun(run));
  const statements = await takeStatements(runtime, file, {
    receive: (summary) => receive(runtime, { file, run }, summary),
    notifiedOf: (statement) => NotifiedLines.of(runtime, bookId, statement),
    taken: (statement) => post(runtime, bookId, statement),
    onTaken,
  });
  await handToRails(runtime, file);
  const matching = await matchRun(runtime, { bookId, requestId });
  failpoint('reconciliation.matched');
  return endRun(runtime, { bookId, run, statements, matching });
}

export async function keepBytes(
  { pool, secretBox, clock }: Pick<ImportRuntime, 'pool' | 'secretBox' | 'clock'>,
  { bookId, checked, name, read }: Pick<BankFile, 'bookId' | 'checked' | 'name' | 'read'>,
): Promise<void> {
  await inKeepingTransaction(pool, async (trx) => {
    const of = { bookId, sha256: checked.sha256, kind: 'bank_file', name, now: clock.now() };
    const keeper = await keepFile(trx, secretBox, of);
    if (keeper === undefined) return;
    for await (const part of read()) await keeper.push(part);
    keeper.end();
  });
}

/** A rail by files reads notifications of its bank: it takes its part of one that came here. */
async function handToRails(runtime: ImportRuntime, { bookId, checked, name }: BankFile): Promise<void> {
  const notices = checked.statements.filter(({ statement }) => statement.kind === 'notification');
  if (notices.length === 0) return;
  const accounts = [...new Set(notices.map(({ statement }) => statement.account))];
  await runtime.handToRails?.({ bookId, sha256: checked.sha256, name, accounts });
}

interface Running {
  readonly file: BankFile;
  readonly run: Reconciliation;
}

/** What becomes of each statement of a file. */
export interface Taking {
  receive(summary: StatementSummary): Promise<ReceivedStatement>;
  /** What of a notification is money that arrives. Left out where nothing is booked. */
  notifiedOf?(statement: BankStatement): Promise<NotifiedLines | undefined>;
  /** Its lines are kept. */
  taken(statement: BankStatement): Promise<void>;
  onTaken(taken: number, lines: number): void;
}

/** The second reading. */
export async function takeStatements(
  { pool, committer }: Pick<ImportRuntime, 'pool' | 'committer'>,
  file: BankFile,
  { receive: receiveOne, notifiedOf, taken: takenOne, onTaken }: Taking,
): Promise<ReceivedStatement[]> {
  const { statements } = file.checked;
  const all = statements.reduce((sum, { sums }) => sum + sums.booked, 0);
  const received: ReceivedStatement[] = [];
  const reader = new AnyReader(file.csv?.profile);
  let taken = 0;
  let keeping: KeptLines | undefined;
  let notified: NotifiedLines | undefined;
  const take = async (reads: ReturnType<AnyReader['push']>) => {
    for (const read of reads) {
      if (keeping === undefined) {
        const one = await receiveOne(statements[received.length]!);
        received.push(one);
        keeping = new KeptLines(pool, file.bookId, one.statement);
        notified = await notifiedOf?.(one.statement);
      }
      if (read.is === 'line') {
        if (read.line.standing === 'booked') taken += 1;
        if (await keeping.add(read.line)) onTaken(taken, all);
        await notified?.add(read.line);
        continue;
      }
      await notified?.end();
      await keeping.end(committer);
      keeping = undefined;
      await takenOne(received.at(-1)!.statement);
      onTaken(taken, all);
      failpoint('reconciliation.statement.taken');
    }
  };
  for await (const part of file.read()) await take(reader.push(part));
  await take(reader.end());
  return received;
}

async function post(runtime: ImportRuntime, bookId: BookId, { id }: BankStatement): Promise<void> {
  const statement = (await bankStatements.find(runtime.pool, bookId, id))!;
  if (!statement.released) {
    // A page of a statement may be what the others waited for.
    if (statement.status === 'held') await releaseOthers(runtime, { bookId, bankAccountId: statement.bankAccountId });
    return;
  }
  await postStatement(runtime, { bookId, statement, actor: IMPORT_ACTOR });
  await releaseOthers(runtime, { bookId, bankAccountId: statement.bankAccountId });
}

interface TakenUp {
  readonly statement: BankStatement;
  readonly summary: StatementSummary;
  readonly bankAccountId: Uuid;
  readonly supersedes: Uuid | null;
}

/** Statements of a taken file whose bank account was made since. Others are left as they are. Resolves with whether one was posted. */
async function takeUpHeld(runtime: ImportRuntime, { file, run }: Running): Promise<boolean> {
  const { pool, committer } = runtime;
  const { bookId, checked } = file;
  const waiting = new Set<number>();
  let hasPosted = false;
  for (const [index, summary] of checked.statements.entries()) {
    const statement = await statementOf(pool, bookId, summary);
    if (statement === undefined) continue;
    // A kill came between its take-up and its last line.
    if (isUnderWay(statement)) {
      await post(runtime, bookId, statement);
      hasPosted = true;
    } else if (waitsForAccount(statement)) waiting.add(index);
  }
  if (waiting.size === 0) return hasPosted;
  const reader = new AnyReader(file.csv?.profile);
  let [index, isBegun] = [0, false];
  let one: TakenUp | undefined;
  let keeping: KeptLines | undefined;
  const take = async (reads: ReturnType<AnyReader['push']>) => {
    for (const read of reads) {
      if (!isBegun) {
        isBegun = true;
        one = waiting.has(index) ? await takenUp(pool, bookId, checked.statements[index]!) : undefined;
        if (one !== undefined) await committer.submit(bookId, dueAgain(run));
        keeping = one && new KeptLines(pool, bookId, { ...one.statement, ...placeOf(one) });
      }
      if (read.is === 'line') {
        await keeping?.add(read.line);
        continue;
      }
      [index, isBegun] = [index + 1, false];
      if (one === undefined) continue;
      await keeping!.end(committer);
      const pages = await pagesOf(pool, { bookId, ...one });
      await committer.submit(bookId, takeUpStatement({ ...one, pages, actor: IMPORT_ACTOR }));
      await post(runtime, bookId, one.statement);
      hasPosted = true;
    }
  };
  for await (const part of file.read()) await take(reader.push(part));
  await take(reader.end());
  return hasPosted;
}

const placeOf = ({ bankAccountId, supersedes }: TakenUp) => ({ bankAccountId, supersedes });

/** The statements of a file whose run has ended. */
async function statementsOf(
  pool: Pool,
  { bookId, checked }: BankFile,
  run: Reconciliation,
): Promise<ReceivedStatement[]> {
  const found: ReceivedStatement[] = [];
  for (const summary of checked.statements) {
    const statement = await statementOf(pool, bookId, summary);
    if (statement !== undefined) found.push({ statement, known: statement.reconciliationId !== run.id });
  }
  return found;
}

async function statementOf(pool: Pool, bookId: BookId, { identity }: StatementSummary) {
  const known = await statementIdentities.find(pool, bookId, identity);
  return known && bankStatements.find(pool, bookId, known.statementId);
}

/** Undefined where nothing can be posted: no account is known yet, or the message only informs. */
async function takenUp(pool: Pool, bookId: BookId, summary: StatementSummary): Promise<TakenUp | undefined> {
  const statement = await statementOf(pool, bookId, summary);
  const account = await findAccount(pool, bookId, summary.statement.account);
  if (statement === undefined || !waitsForAccount(statement)) return undefined;
  if (account === undefined || summary.statement.kind !== account.booksFrom) return undefined;
  const beside = await besideOf(pool, { bookId, bankAccountId: account.id, summary });
  const supersedes = beside.find(({ status }) => status === 'posted')?.id ?? null;
  return { statement, summary, bankAccountId: account.id, supersedes };
}

async function receive(
  runtime: ImportRuntime,
  running: Running,
  summary: StatementSummary,
): Promise<ReceivedStatement> {
  try {
    return await receiveOnce(runtime, running, summary);
  } catch (error) {
    if (error instanceof StatementsMeet) return receiveOnce(runtime, running, summary);
    throw error;
  }
}

async function receiveOnce(
  { pool, committer }: ImportRuntime,
  { file, run }: Running,
  summary: StatementSummary,
): Promise<ReceivedStatement> {
  const { bookId, checked } = file;
  const knownId = (await statementIdentities.find(pool, bookId, summary.identity))?.statementId;
  const account = await findAccount(pool, bookId, summary.statement.account);
  const beside = account === undefined ? [] : await besideOf(pool, { bookId, bankAccountId: account.id, summary });
  const posts = account === undefined || summary.statement.kind === account.booksFrom;
  const input = {
    summary,
    reconciliationId: run.id,
    sha256: checked.sha256,
    bankAccountId: account?.id ?? null,
    posts,
    supersedes: beside.find(({ status }) => status === 'posted' && posts)?.id ?? null,
    pages: account === undefined ? [] : await pagesOf(pool, { bookId, bankAccountId: account.id, summary }),
    requestId: run.requestId,
    actor: IMPORT_ACTOR,
  };
  const received = await committer.submit(bookId, receiveStatement(input, knownId));
  const isOwn = received.statement.reconciliationId === run.id;
  return { ...received, known: received.known && !isOwn };
}

async function findAccount(pool: Pool, bookId: BookId, account: string) {
  const identifier = await bankAccountIdentifiers.find(pool, bookId, plainIdentifier(account));
  return identifier && bankAccounts.find(pool, bookId, identifier.bankAccountId);
}

interface Besides {
  readonly bookId: BookId;
  readonly bankAccountId: Uuid;
  readonly summary: StatementSummary;
}

/** Statements with balances of the same account, number, page and days. Numbers restart each year, so days show. */
export async function besideOf(
  pool: Pool,
  { bookId, bankAccountId, summary: { statement } }: Besides,
): Promise<BankStatement[]> {
  const { number, page, from, to, opening, closing, kind } = statement;
  if (opening === null || closing === null) return [];
  const found = await findBeside(pool, bookId, { bankAccountId, number, to });
  return found.filter(
    (one) =>
      one.kind === kind &&
      one.number === number &&
      one.page === (page?.number ?? null) &&
      one.fromOn === from &&
      one.toOn === to &&
      one.opening !== null,
  );
}

export async function pagesOf(pool: Pool, { bookId, bankAccountId, summary: { statement } }: Besides) {
  const { number, page, to } = statement;
  if (page === null) return [];
  const found = number === null ? [] : await findBeside(pool, bookId, { bankAccountId, number, to });
  const own = { page: page.number, isFirst: page.isFirst, isLast: page.isLast, released: false };
  return [own, ...pagesNear(found, to)];
}

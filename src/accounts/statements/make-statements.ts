/**
 * Makes statements once their days are over: an appointment in the book's own time. Lines are read before the commit; where the last day was not
 * finished by then, the decision holds the account against what was read.
 */
import { startOfDay } from '../../calendar/day.ts';
import { keyedByUuid } from '../../db/keyed-table.ts';
import type { ListReads } from '../../db/list-reads.ts';
import type { Pool } from '../../db/pool.ts';
import type { Appointment } from '../../group/appointment.ts';
import type { MovedRows } from '../../group/moved-rows.ts';
import { accounts } from '../../ledger/account/account-table.ts';
import { findBalanceAt } from '../../ledger/balances/balance-at-store.ts';
import type { Book } from '../../ledger/book/book.ts';
import { loadBook } from '../../ledger/book/book-store.ts';
import { endOfDay, isFinished } from '../../ledger/clock/finish-day.ts';
import type { Command } from '../../ledger/command/command.ts';
import { Draft } from '../../ledger/command/draft.ts';
import { StaleRead } from '../../ledger/commit/stale-read.ts';
import { newId, publicId, type Uuid } from '../../values/ids.ts';
import { sumStatement } from './read-statement.ts';
import { continued, paused, type StatementSchedule } from './schedule.ts';
import { statementSchedules } from './schedule-table.ts';
import type { Statement } from './statement.ts';
import { type StoredStatement, storedStatementView } from './stored-statement.ts';
import { accountStatements } from './stored-statement-table.ts';

export const movedStatementSchedules: MovedRows = {
  kind: 'statement_schedule',
  table: keyedByUuid(statementSchedules.name, 'account_id'),
  open: ['open'],
  due: [
    {
      name: 'statements that are due',
      status: 'open',
      pool: 'ledger',
      job: 'statement.make',
      againMs: 60_000, // a month may have a million lines
    },
  ],
  overdue: {
    waitsSince: 'ends_at',
    finding: {
      check: 'statement.overdue',
      expected: 'made',
      detail: 'Nobody makes the statement of this account, and no bug has stopped it.',
      ids: ([id]) => ({ account: publicId('account', id!) }),
    },
  },
  shownId: (id) => publicId('account', id),
};

export const statementMaking: Appointment = {
  name: 'statements that are due',
  rows: movedStatementSchedules,
  status: 'open',
  column: 'ends_at',
  pool: 'ledger',
  job: 'statement.make',
  async command(pool, bookId, ids) {
    const book = (await loadBook(pool, bookId))!;
    const known = [...(await statementSchedules.load(pool, bookId, ids)).values()];
    const read: ReadStatement[] = [];
    for (const schedule of known) if (schedule.status === 'open') read.push(await readDue(pool, book, schedule));
    return makeStatements(read);
  },
};

interface ReadStatement {
  readonly schedule: StatementSchedule;
  readonly statement: Statement;
  /** The days were over, so no line of them can come. */
  readonly finished: boolean;
}

async function readDue(pool: Pool, book: Book, schedule: StatementSchedule): Promise<ReadStatement> {
  const { accountId, from, to } = schedule;
  // Before the account: what was decided before is committed before.
  const finished = isFinished(to, book);
  const account = (await accounts.find(pool, book.id, accountId))!;
  const [begins, ends] = [startOfDay(from, book.timeZone), endOfDay(to, book)];
  const [before, through] = await Promise.all([
    findBalanceAt(pool, book.id, account, begins - 1),
    findBalanceAt(pool, book.id, account, ends - 1),
  ]);
  const head = {
    ...{
      bookId: book.id,
      mode: book.mode,
      account,
      accountName: null,
      timeZone: book.timeZone,
      from,
      to,
      begins,
      ends,
    },
    ...{ interim: !finished, number: schedule.number + 1n, afterLine: before.line, throughLine: through.line },
    ...{ opening: before.posted, closing: through.posted },
  };
  const lists: ListReads = { read: (_, work) => work(pool) };
  return { schedule, finished, statement: await sumStatement({ lists }, head) };
}

/** Answers with how many were made. Statements whose days are not over, or that were made meanwhile, are left out. */
function makeStatements(read: readonly ReadStatement[]): Command<number> {
  const origin = { id: newId(), requestId: newId(), actor: 'worker:ledger' };
  const ids = read.map(({ schedule }) => schedule.accountId);
  return {
    ...origin,
    name: 'statement.make',
    touches: [
      { table: statementSchedules, ids },
      { table: accounts, ids },
    ],
    decide(state, moment) {
      const draft = new Draft(state, origin, moment);
      let made = 0;
      for (const one of draft.each(read)) {
        if (makeOne(draft, one)) made++;
      }
      return draft.finish(made);
    },
  };
}

function makeOne(draft: Draft, { schedule, statement, finished }: ReadStatement): boolean {
  const { accountId } = schedule;
  const current = draft.get(statementSchedules, accountId);
  if (current?.status !== 'open' || !isSame(current, schedule)) return false;
  const now = draft.moment.book;
  const endsAt = endOfDay(current.to, draft.book);
  if (now < endsAt) {
    // The time zone was changed, before the first entry.
    if (endsAt !== current.endsAt) draft.put(statementSchedules, accountId, { ...current, endsAt, dueAt: endsAt });
    return false;
  }
  const account = draft.account(accountId);
  if (!finished && account.lines !== statement.account.lines)
    throw new StaleRead('Lines were posted on the account while its statement was read.');
  const kept = keptOf(draft.mintId(), { schedule, statement, now });
  draft.put(accountStatements, kept.id, kept);
  const next = continued(current, draft.book, now);
  // What comes back to a closed account is on no statement that is made by itself.
  draft.put(statementSchedules, accountId, account.status === 'closed' ? paused(next, now) : next);
  const object = storedStatementView(kept, draft.livemode);
  draft.emit({ type: 'statement.ready', objectId: kept.id, objectSequence: 1, object });
  return true;
}

function isSame(current: StatementSchedule, read: StatementSchedule): boolean {
  return current.number === read.number && current.from === read.from && current.to === read.to;
}

function keptOf(
  id: Uuid,
  { schedule, statement, now }: { schedule: StatementSchedule; statement: Statement; now: number },
): StoredStatement {
  const { credits, debits, account } = statement;
  return {
    ...{ id, accountId: account.id, number: schedule.number + 1n, from: statement.from, to: statement.to },
    ...{ currency: account.currency, opening: statement.opening, closing: statement.closing },
    ...{ creditsCount: BigInt(credits.count), creditsSum: credits.sum },
    ...{ debitsCount: BigInt(debits.count), debitsSum: debits.sum },
    ...{ afterLine: statement.afterLine, throughLine: statement.throughLine, digest: statement.digest, createdAt: now },
  };
}

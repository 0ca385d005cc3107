/**
 * Posts the next lines of a statement, in one command: an entry a booking day, credits (bank → unallocated) and debits (suspense → bank) apart,
 * never netted. The statement's `bookedLines` states which lines are next, so a command that comes twice, or late, changes nothing. With the last
 * of them the bank account stands where the bank states. An entry takes effect on the booking day, or on the first open day where that one is
 * closed.
 */
import { dayOf } from '../../calendar/day.ts';
import { accounts } from '../../ledger/account/account-table.ts';
import { chartAccountId } from '../../ledger/account/chart.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Command } from '../../ledger/command/command.ts';
import { Draft } from '../../ledger/command/draft.ts';
import type { Entry } from '../../ledger/entry/entry.ts';
import { advance } from '../../ledger/resources/resource.ts';
import { newId } from '../../values/ids.ts';
import { NoProgress } from '../../values/progress.ts';
import type { BankAccount } from '../accounts/bank-account.ts';
import { bankAccounts } from '../accounts/bank-account-table.ts';
import { openingAt } from '../accounts/open-bank-account.ts';
import type { BankLine } from '../lines/bank-line.ts';
import { bankLines } from '../lines/bank-line-table.ts';
import { type BankStatement, ENTRIES_SHOWN } from './bank-statement.ts';
import { bankStatementResource } from './bank-statement-resource.ts';
import { bankStatements } from './bank-statement-table.ts';
import { isBefore } from './chain.ts';

/** Each line is a row, and a command touches at most 1,000. */
export const LINES_PER_COMMAND = 250;

export interface PostLines {
  readonly bookId: BookId;
  readonly statement: Pick<BankStatement, 'id' | 'lines' | 'supersedes'>;
  readonly account: Pick<BankAccount, 'id' | 'currency' | 'ledgerAccountId'>;
  /** How many lines were posted before these. */
  readonly behind: number;
  readonly lines: readonly BankLine[];
  readonly actor: string;
}

/** Answers with the statement: with these lines or further. */
export function postLines({
  bookId,
  statement: { id, supersedes },
  account,
  behind,
  lines,
  actor,
}: PostLines): Command<BankStatement> {
  const origin = { id: newId(), requestId: newId(), actor };
  const { currency } = account;
  const chart = [chartAccountId(bookId, 'unallocated', currency), chartAccountId(bookId, 'suspense', currency)];
  return {
    ...origin,
    name: 'bank_statement.post',
    touches: [
      { table: bankStatements, ids: supersedes === null ? [id] : [id, supersedes] },
      { table: bankAccounts, ids: [account.id] },
      { table: bankLines, ids: lines.map((line) => line.id) },
      { table: accounts, ids: [account.ledgerAccountId, ...chart] },
    ],
    decide(state, moment) {
      const draft = new Draft(state, origin, moment);
      const statement = draft.get(bankStatements, id)!;
      if (!statement.released || statement.status === 'posted' || statement.bookedLines !== behind)
        return draft.finish(statement);
      if (lines.some((line) => draft.get(bankLines, line.id)!.status !== 'pending'))
        throw new NoProgress(`Statement ${id}: lines behind line ${behind} are posted already.`);
      if (lines.length === 0 && behind < statement.lines)
        throw new NoProgress(`Statement ${id}: no line stands behind line ${behind} of ${statement.lines}.`);
      return draft.finish(post(draft, statement, lines));
    },
  };
}

function post(draft: Draft, statement: BankStatement, lines: readonly BankLine[]): BankStatement {
  const account = draft.get(bankAccounts, statement.bankAccountId!)!;
  const entries: Entry[] = [];
  let [credits, debits] = [0n, 0n];
  for (const day of byDay(lines)) {
    const entry = postDay(draft, { statement, account, day });
    if (entry !== null) entries.push(entry);
    credits += day.credits;
    debits += day.debits;
    for (const line of day.lines)
      draft.put(bankLines, line.id, {
        ...draft.get(bankLines, line.id)!,
        status: line.amount === 0n ? 'matched' : 'open',
        entryId: line.amount === 0n ? null : (entry?.id ?? null),
      });
  }
  const bookedLines = statement.bookedLines + lines.length;
  const change = {
    bookedLines,
    bookedCredits: statement.bookedCredits + credits,
    bookedDebits: statement.bookedDebits + debits,
    firstEntryIds: [...statement.firstEntryIds, ...entries.map((entry) => entry.id)].slice(0, ENTRIES_SHOWN),
  };
  const isLast = bookedLines === statement.lines;
  moveAccount(draft, { account, by: credits - debits, posted: isLast ? statement : undefined });
  // Every command announces its entries: those before the last as `bank_statement.received`.
  if (!isLast)
    return advance(draft, bankStatementResource, statement, change, { event: 'bank_statement.received', entries });
  restate(draft, statement);
  const done = { ...change, status: 'posted' as const };
  return advance(draft, bankStatementResource, statement, done, { event: 'bank_statement.posted', entries });
}

interface Day {
  readonly on: string;
  readonly lines: BankLine[];
  credits: bigint;
  debits: bigint;
}

/** In the order in which the days first stand in the statement. */
function byDay(lines: readonly BankLine[]): Day[] {
  const days = new Map<string, Day>();
  for (const line of lines) {
    const day = days.get(line.bookedOn) ?? { on: line.bookedOn, lines: [], credits: 0n, debits: 0n };
    days.set(line.bookedOn, day);
    day.lines.push(line);
    if (line.amount > 0n) day.credits += line.amount;
    else day.debits -= line.amount;
  }
  return [...days.values()];
}

interface PostDay {
  readonly statement: BankStatement;
  readonly account: BankAccount;
  readonly day: Day;
}

function postDay(draft: Draft, { statement, account, day }: PostDay): Entry | null {
  if (day.credits === 0n && day.debits === 0n) return null;
  const bank = account.ledgerAccountId;
  const unallocated = draft.chart('unallocated', account.currency).id;
  const suspense = draft.chart('suspense', account.currency).id;
  return draft.post({
    ...effectOn(draft, day.on),
    resource: 'bank_statement',
    resourceId: statement.id,
    // A command posts other lines than those before it, and each of its days once.
    step: `posted_${day.on}_from_${day.lines[0]!.place}`,
    postings: [
      { debit: bank, credit: unallocated, amount: day.credits },
      { debit: suspense, credit: bank, amount: day.debits },
    ],
  });
}

/** A test book's clock may be behind the bank's day: the entry takes effect at once then, and keeps the day. */
function effectOn(draft: Draft, on: string) {
  const effectiveAt = openingAt(draft, on);
  const isAhead = on > dayOf(draft.moment.book, draft.book.timeZone);
  return { ...(effectiveAt !== undefined && { effectiveAt }), ...(isAhead && { occurredOn: on }) };
}

interface MoveAccount {
  readonly account: BankAccount;
  readonly by: bigint;
  /** The statement that ends with these lines. */
  readonly posted: BankStatement | undefined;
}

function moveAccount(draft: Draft, { account, by, posted }: MoveAccount): void {
  if (by === 0n && posted === undefined) return;
  const moved = {
    ...account,
    balance: account.balance + by,
    underWay: account.underWay - (posted === undefined ? 0 : 1),
  };
  const isLast = posted !== undefined && endsChain(moved, posted);
  draft.put(bankAccounts, account.id, { ...moved, ...(isLast && { lastStatementId: posted.id }) });
}

/** The account stands where it ends. What is posted between others moved it away from there and back. */
function endsChain({ balance, chainedOn }: BankAccount, { closing, toOn }: BankStatement): boolean {
  return !isBefore(chainedOn, toOn) && (closing === null || closing === balance);
}

function restate(draft: Draft, { supersedes }: BankStatement): void {
  const before = supersedes === null ? undefined : draft.get(bankStatements, supersedes);
  if (before?.status !== 'posted') return;
  advance(draft, bankStatementResource, before, { status: 'restated' }, { event: 'bank_statement.restated' });
}

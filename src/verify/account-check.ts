/**
 * Checks accounts: lines are numbered without a gap, each line has the balance after it, and the account's row has
 * the sums of its lines. The held amount is what open holds have left. An account is below its floor only after an
 * entry or the step of a hold that is marked as an override.
 *
 * Accounts and both sides of the postings are read in one order and merged. Lines are read up to the book's bound. An
 * account that has moved since is read again in a snapshot of its own before a finding is reported.
 */

import { inSnapshot } from '../db/snapshot.ts';
import type { Check, CheckContext } from '../group/check-context.ts';
import { type Account, available, held } from '../ledger/account/account.ts';
import { publicId, type Uuid } from '../values/ids.ts';
import { further } from '../values/progress.ts';
import type { AccountWithHolds, Direction, LineRow } from './account-check-store.ts';
import {
  findFloorOverride,
  findHoldBelowFloor,
  readAccounts,
  readLaterLines,
  readLines,
} from './account-check-store.ts';
import { AccountTally } from './account-tally.ts';
import { RowReader } from './read-ahead.ts';

const ACCOUNTS_PAGE = 500;
const LINES_PAGE = 5_000;

export const accountCheck: Check = {
  name: 'account lines',
  async run(context) {
    const { pool, book } = context;
    const side = (direction: Direction) =>
      new RowReader<LineRow>((after) =>
        readLines(pool, book.id, { direction, after, upTo: book.entrySequence, limit: LINES_PAGE }),
      );
    const lines = new LineZip(side('debit'), side('credit'));
    const accounts = new RowReader<AccountWithHolds>((last) =>
      readAccounts(pool, book.id, { after: last?.id, limit: ACCOUNTS_PAGE }),
    );
    try {
      await accounts.turnPage();
      for (let account = accounts.front; account; account = accounts.front) {
        await checkAccount(context, account, lines);
        accounts.advance();
        if (accounts.needsPage) await accounts.turnPage();
      }
      await reportUnknown(context, lines, undefined);
    } finally {
      await Promise.all([accounts.close(), lines.close()]);
    }
  },
};

/** Merges the lines of both sides, ordered by account and line. */
class LineZip {
  constructor(
    private readonly debits: RowReader<LineRow>,
    private readonly credits: RowReader<LineRow>,
  ) {}

  /** Returns the next line when its account is `upTo` or an earlier one. Without `upTo`, returns any next line. */
  async next(upTo: string | undefined): Promise<LineRow | undefined> {
    if (this.debits.needsPage) await this.debits.turnPage();
    if (this.credits.needsPage) await this.credits.turnPage();
    const [debit, credit] = [this.debits.front, this.credits.front];
    const first = !credit || (debit && precedes(debit, credit)) ? debit : credit;
    if (!first || (upTo !== undefined && first.accountId > upTo)) return undefined;
    (first === debit ? this.debits : this.credits).advance();
    return first;
  }

  close(): Promise<unknown> {
    return Promise.all([this.debits.close(), this.credits.close()]);
  }
}

function precedes(a: LineRow, b: LineRow): boolean {
  return a.accountId === b.accountId ? a.line <= b.line : a.accountId < b.accountId;
}

async function checkAccount(context: CheckContext, account: AccountWithHolds, lines: LineZip): Promise<void> {
  const tally = new AccountTally(account, context.report);
  for (let line = await lines.next(account.id); line; line = await lines.next(account.id)) {
    if (line.accountId !== account.id) reportStray(context, line);
    else tally.take(line);
    context.advance(1);
  }
  if (!tally.agreesWith(account)) await recheckTotals(context, tally);
  checkHeld(context, account);
  await checkFloor(context, account);
}

/**
 * Reads the row and its later lines in one snapshot, to distinguish a wrong account from one that has moved since the
 * bound.
 */
async function recheckTotals({ pool, book, report }: CheckContext, tally: AccountTally): Promise<void> {
  const { id: accountId } = tally.account;
  const later = await inSnapshot(pool, (trx) => readLaterLines(trx, book.id, { accountId, after: tally.lastLine }));
  if (!later) return;
  const sums = tally.with(later);
  const { account } = later;
  if (sums.lines === account.lines && sums.debits === account.postedDebits && sums.credits === account.postedCredits)
    return;
  report({
    check: 'account.totals',
    ids: { account: publicId('account', account.id) },
    expected: `${sums.debits} debited, ${sums.credits} credited in ${sums.lines} lines`,
    actual: `${account.postedDebits} debited, ${account.postedCredits} credited in ${account.lines} lines`,
    detail: "The account's row is not the sum of its postings.",
  });
}

export function checkHeld({ report }: CheckContext, account: AccountWithHolds): void {
  const otherSide = account.side === 'credit' ? account.heldCredits : account.heldDebits;
  if (held(account) === account.openHolds && otherSide === 0n) return;
  report({
    check: 'account.held',
    ids: { account: publicId('account', account.id) },
    expected: `${account.openHolds} held`,
    actual: otherSide === 0n ? `${held(account)} held` : `${held(account)} held, and ${otherSide} on the other side`,
    detail: 'What is held on the account is not what its open holds have left.',
  });
}

export async function checkFloor(context: CheckContext, account: Account): Promise<void> {
  if (account.floor === null || available(account) >= account.floor) return;
  if ((await wasOverridden(context, account)) || (await isHeldBelow(context, account))) return;
  context.report({
    check: 'account.floor',
    ids: { account: publicId('account', account.id) },
    expected: `at least ${account.floor} available`,
    actual: `${available(account)} available`,
    detail: 'The account is below its floor, and no entry or hold says that it took it there.',
  });
}

/** The flag is in the append-only journal, so a positive answer stays right. */
async function wasOverridden({ pool, book }: CheckContext, account: Account): Promise<boolean> {
  const direction: Direction = account.side === 'credit' ? 'debit' : 'credit';
  let before: bigint | undefined = account.lines + 1n;
  while (before !== undefined) {
    const page = await findFloorOverride(pool, book.id, {
      accountId: account.id,
      direction,
      before,
      limit: LINES_PAGE,
    });
    if (page.found) return true;
    if (page.before !== undefined) further('lines, newest first', -before, -page.before);
    before = page.before;
  }
  return false;
}

async function isHeldBelow({ pool, book }: CheckContext, { id: accountId }: Account): Promise<boolean> {
  let after: Uuid | undefined;
  do {
    const page = await findHoldBelowFloor(pool, book.id, { accountId, after, limit: LINES_PAGE });
    if (page.found) return true;
    after = page.after && further('open holds', after, page.after);
  } while (after !== undefined);
  return false;
}

/**
 * Reports lines left over after the last account. An account opened during the check has lines beyond the bound only,
 * so the account of a leftover line does not exist.
 */
async function reportUnknown(context: CheckContext, lines: LineZip, upTo: string | undefined): Promise<void> {
  for (let line = await lines.next(upTo); line; line = await lines.next(upTo)) reportStray(context, line);
}

export function reportStray({ report }: CheckContext, line: Pick<LineRow, 'accountId' | 'entrySequence'>): void {
  report({
    check: 'account.known',
    ids: { account: publicId('account', line.accountId), sequence: `${line.entrySequence}` },
    expected: 'an account',
    actual: 'none',
    detail: `Entry ${line.entrySequence} has a posting on an account that does not exist.`,
  });
}

/**
 * Counts the lines of one account in order: numbers, running balance, sums. Starts at the first line or in the middle.
 */

import type { CheckContext } from '../group/check-context.ts';
import type { Account } from '../ledger/account/account.ts';
import { publicId } from '../values/ids.ts';
import type { LineRow } from './account-check-store.ts';

/** The line before the first one that is counted. */
export interface LineBefore {
  readonly line: bigint;
  readonly balance: bigint;
  readonly entrySequence: bigint;
}

const NO_LINE: LineBefore = { line: 0n, balance: 0n, entrySequence: 0n };

export class AccountTally {
  readonly account: Pick<Account, 'id' | 'side' | 'currency'>;
  readonly #report: CheckContext['report'];
  #lines = 0n;
  #debits = 0n;
  #credits = 0n;
  #balance: bigint;
  #lastEntry: bigint;
  lastLine: bigint;

  constructor(account: AccountTally['account'], report: CheckContext['report'], before = NO_LINE) {
    this.account = account;
    this.#report = report;
    this.#balance = before.balance;
    this.#lastEntry = before.entrySequence;
    this.lastLine = before.line;
  }

  take(line: LineRow): void {
    this.#checkPlace(line);
    this.#checkBalance(line);
    if (line.currency !== this.account.currency) {
      this.#found(line, 'account.currency', {
        expected: this.account.currency,
        actual: line.currency,
        detail: 'A posting is in another currency than its account.',
      });
    }
    this.#lines += 1n;
    if (line.direction === 'debit') this.#debits += line.amount;
    else this.#credits += line.amount;
    // Continue from the balance as written, so that one wrong line makes one finding.
    this.#balance = line.balanceAfter;
    this.lastLine = line.line;
    this.#lastEntry = line.entrySequence;
  }

  /** Returns the sums with those of later lines added. */
  with(later: { lines: bigint; debits: bigint; credits: bigint }) {
    return {
      lines: this.#lines + later.lines,
      debits: this.#debits + later.debits,
      credits: this.#credits + later.credits,
    };
  }

  agreesWith(account: Account): boolean {
    return (
      account.lines === this.#lines && account.postedDebits === this.#debits && account.postedCredits === this.#credits
    );
  }

  #checkPlace(line: LineRow): void {
    if (line.line === this.lastLine + 1n && line.entrySequence >= this.#lastEntry) return;
    const twice = line.line === this.lastLine;
    const early = line.entrySequence < this.#lastEntry;
    this.#found(line, 'account.lines', {
      expected: early ? `an entry from ${this.#lastEntry} on` : `line ${this.lastLine + 1n}`,
      actual: early ? `entry ${line.entrySequence}` : `line ${line.line}`,
      detail: early
        ? "The account's lines are not in the order of their entries."
        : twice
          ? 'Two postings of the account have one line number.'
          : "The account's lines have a gap.",
    });
  }

  #checkBalance(line: LineRow): void {
    const grows = line.direction === this.account.side;
    const expected = grows ? this.#balance + line.amount : this.#balance - line.amount;
    if (line.balanceAfter === expected) return;
    this.#found(line, 'account.balance_after', {
      expected: `${expected}`,
      actual: `${line.balanceAfter}`,
      detail: 'The balance after a line is not the balance before it and its amount.',
    });
  }

  #found(
    line: LineRow,
    check: 'account.lines' | 'account.balance_after' | 'account.currency',
    found: { expected: string; actual: string; detail: string },
  ): void {
    const ids = {
      account: publicId('account', this.account.id),
      line: `${line.line}`,
      sequence: `${line.entrySequence}`,
    };
    this.#report({ check, ids, ...found });
  }
}

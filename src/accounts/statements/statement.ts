/**
 * A statement of an account: what it held before the first day, every line that was posted by the last one, and what it held then.
 * Invariant: opening + what its lines change = closing. Days are counted as lines were posted, so a statement of finished days never changes.
 * Next: read-statement.ts (its rows), statement-json.ts, statement-csv.ts, statement-camt.ts, statement-pdf.ts (its forms).
 */
import { createHash } from 'node:crypto';
import type { Account, Direction, Side } from '../../ledger/account/account.ts';
import type { AccountLine } from '../../ledger/account/account-line-store.ts';
import type { BookId, Mode } from '../../ledger/book/book.ts';
import type { Instant } from '../../values/clock.ts';
import { csvHeader, csvRow } from '../../values/csv-writing.ts';
import { publicId } from '../../values/ids.ts';
import type { ShownLine } from '../lines/account-line-view.ts';
import { PLAIN_COLUMNS } from './statement-columns.ts';

/** Days of the book, both within it: YYYY-MM-DD. */
export interface StatementDays {
  readonly from: string;
  readonly to: string;
}

/** How many lines of one direction, and their sum in minor units. */
export interface Movements {
  readonly count: number;
  readonly sum: bigint;
}

export interface Statement extends StatementDays {
  readonly bookId: BookId;
  readonly mode: Mode;
  readonly account: Account;
  /** Of a statement that is stored; null of one that is made for requested days. */
  readonly number: bigint | null;
  /** Null once erased, and where the account has no name. */
  readonly accountName: string | null;
  readonly timeZone: string;
  /** The first moment of `from`, and the first one behind `to`. */
  readonly begins: Instant;
  readonly ends: Instant;
  /** The last day is not over: more lines may come. */
  readonly interim: boolean;
  /** Lines after the first, up to the second. */
  readonly afterLine: bigint;
  readonly throughLine: bigint;
  /** On the account's own side. */
  readonly opening: bigint;
  readonly closing: bigint;
  readonly credits: Movements;
  readonly debits: Movements;
  /** SHA-256 of everything but names and texts. */
  readonly digest: string;
}

/** The lines do not lead from the opening to the closing balance. */
export class StatementContradicted extends Error {
  override name = 'StatementContradicted';
}

/** Pages of the lines of a statement, in their order. */
export type LinePages = AsyncIterable<readonly ShownLine[]>;

/** What a line changes on the account's own side. */
export function changeOf({ direction, amount }: Pick<AccountLine, 'direction' | 'amount'>, side: Side): bigint {
  return direction === side ? amount : -amount;
}

/** A statement before its lines are added up. */
export type StatementHead = Omit<Statement, 'credits' | 'debits' | 'digest'>;

/**
 * Adds up the lines of a statement. The digest is over one line of CSV with account, days and balances, and over the rows of the CSV
 * form without its columns of text. Throws StatementContradicted where the lines do not lead from opening to closing.
 */
export class StatementSum {
  readonly #head: StatementHead;
  readonly #hash = createHash('sha256');
  readonly #moved: Record<Direction, { count: number; sum: bigint }> = {
    debit: { count: 0, sum: 0n },
    credit: { count: 0, sum: 0n },
  };
  #balance: bigint;

  constructor(head: StatementHead) {
    this.#head = head;
    this.#balance = head.opening;
    const { account, from, to, opening, closing } = head;
    this.#hash.update(`${publicId('account', account.id)},${from},${to},${opening},${closing}\r\n`);
    this.#hash.update(csvHeader(PLAIN_COLUMNS));
  }

  add(line: ShownLine): void {
    const { account } = this.#head;
    const moved = this.#moved[line.direction];
    moved.count++;
    moved.sum += line.amount;
    this.#balance += changeOf(line, account.side);
    if (this.#balance !== line.balanceAfter)
      throw new StatementContradicted(
        `Account ${account.id} has ${line.balanceAfter} after line ${line.line}, not ${this.#balance}`,
      );
    this.#hash.update(csvRow(PLAIN_COLUMNS, { line, account }));
  }

  end(): Statement {
    const { closing, account } = this.#head;
    if (this.#balance !== closing)
      throw new StatementContradicted(`The lines of account ${account.id} lead to ${this.#balance}, not to ${closing}`);
    const { credit: credits, debit: debits } = this.#moved;
    return { ...this.#head, credits, debits, digest: this.#hash.digest('hex') };
  }
}

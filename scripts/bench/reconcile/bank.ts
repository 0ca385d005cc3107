/** The bank of bench `reconcile`: an account of the operator's, and one statement after the other, taken by the command as from cron. */
import { unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { dayOf } from '../../../src/calendar/day.ts';
import type { Pool } from '../../../src/db/pool.ts';
import type { BookId } from '../../../src/ledger/book/book.ts';
import { loadBook } from '../../../src/ledger/book/book-store.ts';
import type { Committer } from '../../../src/ledger/commit/committer.ts';
import { currencyExponent } from '../../../src/money/currency.ts';
import { operatorBooks } from '../../../src/organisations/organisation-store.ts';
import { openBankAccount } from '../../../src/reconciliation/accounts/open-bank-account.ts';
import { newId } from '../../../src/values/ids.ts';
import { CURRENCY } from '../book.ts';
import { RAIL_ACCOUNT, ruleOf } from './drawn-lines.ts';
import { findRunOf, type LineFound, type RunRows, readMatchedLines } from './matched-lines-store.ts';
import { writeStatement } from './statement-file.ts';

const ACCOUNT = 'JO94CBJO0010000000000131000302';
/** More than all payouts of a bench come to. */
const OPENING = 1_000_000_000_000_000n;
/** A run may go on beyond midnight. */
const WINDOW_DAYS = 5;

export interface WrittenFile {
  readonly path: string;
  /** Of its statement. */
  readonly number: number;
  readonly from: number;
  readonly lines: number;
}

/** What matches are worth. */
export class Verdicts {
  confirmed = 0;
  right = 0;
  /** Lines that a rule is to match. */
  meant = 0;
  readonly byRule: Record<string, number> = {};
  /** The first ones, in words. */
  readonly wrong: string[] = [];

  /** `number`: of the payout that the line is of. */
  add(number: number, { rule, reference, posted }: LineFound): void {
    const meant = ruleOf(number);
    if (meant !== null) this.meant += 1;
    if (rule !== null) {
      this.confirmed += 1;
      this.byRule[rule] = (this.byRule[rule] ?? 0) + 1;
    }
    const isRight = rule === meant && (meant === null || reference === `R${number}`);
    if (isRight && rule !== null) this.right += 1;
    if ((isRight && posted) || this.wrong.length >= WRONG_SHOWN) return;
    this.wrong.push(`line ${number}: ${posted ? '' : 'not posted, '}${rule} with ${reference} instead of ${meant}`);
  }
}

const WRONG_SHOWN = 5;

export class BenchBank {
  readonly bookId: BookId;
  readonly #pool: Pool;
  readonly #folder: string;
  readonly #timeZone: string;
  #balance = OPENING;
  #statements = 0;

  private constructor(pool: Pool, { bookId, folder, timeZone }: { bookId: BookId; folder: string; timeZone: string }) {
    this.#pool = pool;
    this.bookId = bookId;
    this.#folder = folder;
    this.#timeZone = timeZone;
  }

  /** Its account begins today. Nothing is expected at the bank before. */
  static async open(pool: Pool, committer: Pick<Committer, 'submit'>, folder: string): Promise<BenchBank> {
    const bookId = (await operatorBooks(pool)).test;
    const { timeZone } = (await loadBook(pool, bookId))!;
    const parties = [{ party: 'sandbox', accounts: [RAIL_ACCOUNT], names: [], settles: 'reference' as const }];
    const answer = await committer.submit(
      bookId,
      openBankAccount({
        ...{ bookId, isOperators: true, requestId: newId(), actor: 'bench', name: 'Current account' },
        ...{ currency: CURRENCY, identifiers: [ACCOUNT], bic: null, holds: 'customer_money' },
        ...{ openingOn: dayOf(Date.now(), timeZone), openingAmount: OPENING, outstanding: [] },
        ...{ booksFrom: 'statement', reversalIndicator: 'entry', allocateOn: 'statement' },
        ...{ calendar: 'sat_sun', windowBefore: WINDOW_DAYS, windowAfter: WINDOW_DAYS, parties },
      }),
    );
    if (answer.refused) throw new Error(`The bank account was not made: ${answer.refused}`);
    return new BenchBank(pool, { bookId, folder, timeZone });
  }

  /** The next statement, of today. */
  async write(of: { from: number; lines: number; bookIds: readonly BookId[] }): Promise<WrittenFile> {
    const number = ++this.#statements;
    const path = join(this.#folder, `${number}.xml`);
    this.#balance = await writeStatement({
      ...{ path, ...of, account: ACCOUNT, currency: CURRENCY, exponent: currencyExponent(CURRENCY), number },
      ...{ on: dayOf(Date.now(), this.#timeZone), opening: this.#balance },
    });
    return { path, number, from: of.from, lines: of.lines };
  }

  /** Its rows, once it is taken: every line is there, and was matched as it is meant. The file is removed. */
  async judge({ path, number, from, lines }: WrittenFile, verdicts: Verdicts): Promise<RunRows> {
    unlinkSync(path);
    const run = await findRunOf(this.#pool, this.bookId, number);
    let place = 0;
    for await (const found of readMatchedLines(this.#pool, this.bookId, run.statementId)) {
      place += 1;
      if (found.place !== place) throw new Error(`Line ${place} of statement ${number} is not there`);
      verdicts.add(from + place - 1, found);
    }
    if (place !== lines) throw new Error(`Statement ${number} has ${place} of ${lines} lines`);
    return run;
  }
}

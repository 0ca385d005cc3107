/**
 * The first reading of a bank's file: whether it is whole, and what each of its statements states. Nothing is kept before that is certain, and no
 * more than a part of the file is in memory at once.
 */

import { createHash, type Hash } from 'node:crypto';
import { BadInput } from '../../intake/bad-input.ts';
import { isCurrency } from '../../money/currency.ts';
import { plainIdentifier } from '../../outside/credits/credited-account-store.ts';
import { likenessOf } from '../lines/bank-line.ts';
import { type BankFileLine, type BankFileStatement, comeTo, type Read } from '../reading/bank-file.ts';
import type { CsvProfile } from '../reading/read-csv.ts';
import { AnyReader, formatName } from '../reading/read-file.ts';
import type { DifferingLine, StatementSums } from '../statements/judge-statement.ts';
import type { StatementSummary } from '../statements/receive-statement.ts';

export interface CheckedBankFile {
  /** Hexadecimal. */
  readonly sha256: string;
  readonly bytes: number;
  readonly format: string;
  readonly statements: readonly StatementSummary[];
}

/** Published at GET /v1/limits. */
export const LINES_MAX = 1_000_000;
export const STATEMENTS_MAX = 100_000;

/** Throws BadInput, with the line of the file. */
export function checkBankFile(parts: Iterable<Buffer>, profile?: CsvProfile): CheckedBankFile {
  const checking = new BankFileChecking(profile);
  for (const part of parts) checking.push(part);
  return checking.end();
}

/** The same of bytes that are fetched as they are read. */
export async function checkBankParts(
  parts: Iterable<Buffer> | AsyncIterable<Buffer>,
  profile?: CsvProfile,
): Promise<CheckedBankFile> {
  const checking = new BankFileChecking(profile);
  for await (const part of parts) checking.push(part);
  return checking.end();
}

/** A first reading that is handed the bytes as they come. Throws BadInput, with the line of the file. */
export class BankFileChecking {
  readonly #reader: AnyReader;
  readonly #digest = createHash('sha256');
  readonly #statements: StatementSummary[] = [];
  #counting = new Counting();
  #bytes = 0;

  constructor(profile?: CsvProfile) {
    this.#reader = new AnyReader(profile);
  }

  push(part: Buffer): void {
    this.#digest.update(part);
    this.#bytes += part.length;
    this.#take(this.#reader.push(part));
  }

  end(): CheckedBankFile {
    this.#take(this.#reader.end());
    const kind = this.#statements[0]?.statement.kind;
    const format = formatName(this.#reader.format!, kind);
    return { sha256: this.#digest.digest('hex'), bytes: this.#bytes, format, statements: this.#statements };
  }

  #take(reads: readonly Read[]): void {
    for (const read of reads) {
      if (read.is === 'line') {
        this.#counting.add(read.line);
        continue;
      }
      const place = this.#statements.length + 1;
      if (place > STATEMENTS_MAX)
        throw new BadInput(read.statement.row, `A file has at most ${STATEMENTS_MAX} statements.`);
      this.#statements.push(summaryOf(read.statement, this.#counting, { place, reader: this.#reader }));
      this.#counting = new Counting();
    }
  }
}

interface Where {
  readonly place: number;
  readonly reader: AnyReader;
}

function summaryOf(read: BankFileStatement, counting: Counting, { place, reader }: Where): StatementSummary {
  const { currency, fault, row } = read;
  const unknown = currency !== null && fault === null && !isCurrency(currency);
  const statement = unknown
    ? { ...read, currency: null, fault: { row, detail: `${currency} is no currency of today.` } }
    : read;
  return {
    statement,
    sums: counting.sums(),
    format: formatName(reader.format!, read.kind),
    place,
    identity: counting.identity(statement),
  };
}

/** A statement names no more of them. */
const DIFFERING_MAX = 20;

/** What the lines of one statement come to. */
class Counting {
  readonly #lines: Hash = createHash('sha256');
  #booked = 0;
  #sum = 0n;
  #reversed = 0n;
  #credits = { count: 0, sum: 0n };
  #debits = { count: 0, sum: 0n };
  #firstDay: string | null = null;
  #lastDay: string | null = null;
  readonly #differing: DifferingLine[] = [];

  add(line: BankFileLine): void {
    this.#lines.update(`${line.standing} ${likenessOf(line)}\n`);
    if (line.standing !== 'booked') return;
    const { amount, bookedOn, isReversal, row } = line;
    if (++this.#booked > LINES_MAX) throw new BadInput(row, `A statement has at most ${LINES_MAX} lines.`);
    if (isReversal) this.#reversed += amount;
    else this.#sum += amount;
    const side = amount >= 0n ? this.#credits : this.#debits;
    side.count += 1;
    side.sum += amount >= 0n ? amount : -amount;
    this.#compare(line);
    if (this.#firstDay === null || bookedOn < this.#firstDay) this.#firstDay = bookedOn;
    if (this.#lastDay === null || bookedOn > this.#lastDay) this.#lastDay = bookedOn;
  }

  /** Charges that the bank states explain what its movements do not come to. */
  #compare(line: BankFileLine): void {
    const { row, amount, details } = line;
    if (this.#differing.length === DIFFERING_MAX || comeTo(line, details)) return;
    this.#differing.push({ row, amount, stated: details.reduce((sum, one) => sum + one.amount, 0n) });
  }

  sums(): StatementSums {
    const [credits, debits] = [this.#credits, this.#debits];
    return {
      booked: this.#booked,
      sum: this.#sum,
      reversed: this.#reversed,
      ...{ creditsCount: credits.count, creditsSum: credits.sum },
      ...{ debitsCount: debits.count, debitsSum: debits.sum },
      ...{ firstDay: this.#firstDay, lastDay: this.#lastDay, differing: this.#differing },
    };
  }

  /** What makes it the same statement in whatever file. What the file states of itself, such as that it is a copy, is left out. */
  identity({ kind, account, number, page, from, to, opening, closing, groupStatus }: BankFileStatement): string {
    const facts = [kind, plainIdentifier(account), number, page?.number, from, to, opening, closing, groupStatus];
    const text = JSON.stringify(facts, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
    return createHash('sha256').update(text).update(this.#lines.digest()).digest('hex');
  }
}

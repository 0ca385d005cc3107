/**
 * The first reading of a clearing file: whether it is whole. Every line has its form, no message stands in it twice,
 * and each currency has a TOTAL with the number and the sum of its lines. Nothing is kept before that is certain, and
 * no more than a block of lines is in memory at once.
 */
import { BadInput } from '../../intake/bad-input.ts';
import { csvBlocks } from '../../intake/csv-blocks.ts';
import { partsOf } from '../../intake/read-parts.ts';
import { hashed, newDigest, tapped } from '../../intake/read-twice.ts';
import { RepeatedTexts } from '../../intake/repeated-texts.ts';
import { isCurrency } from '../../money/currency.ts';
import {
  CLEARING_COLUMNS,
  type ClearingLine,
  type ClearingRow,
  clearingLineOf,
  SIGN,
  shortened,
} from './clearing-line.ts';

export interface CheckedFile {
  readonly file: string;
  readonly sha256: string;
  readonly lines: number;
  /** How many lines each program has, as they name it. */
  readonly programs: ReadonlyMap<string, number>;
}

/** The first field of a trailer. It has the number of lines of a currency in the second one, and their signed sum as its amount. */
const TRAILER = 'TOTAL';

/** Their names are in memory at once. */
const PROGRAMS_MAX = 10_000;

/** No lines is a day without clearings. Throws BadInput, with the line of the file. */
export function checkFile(file: string): CheckedFile {
  const digest = newDigest();
  const references = new RepeatedTexts();
  const totals = new Totals();
  const programs = new Map<string, number>();
  let lines = 0;
  for (const row of rowsOf(hashed(partsOf(file), digest))) {
    if (isTrailer(row)) {
      totals.check(row);
      continue;
    }
    const line = clearingLineOf(row);
    totals.add(row, line);
    references.add(line.messageReference);
    const known = programs.get(line.program) ?? 0;
    if (known === 0 && programs.size === PROGRAMS_MAX)
      throw new BadInput(row.row, `A file is about at most ${PROGRAMS_MAX} programs.`);
    programs.set(line.program, known + 1);
    lines += 1;
  }
  totals.finish();
  const isSuspect = references.suspects();
  if (isSuspect !== undefined) refuseRepeated(file, isSuspect);
  return { file, sha256: digest.digest('hex'), lines, programs };
}

/** The second reading: its lines, with their places in the file, block by block. `onPart` gets its bytes. */
export function* linesOf(
  file: string,
  onPart: (part: Buffer) => void,
): Generator<readonly { readonly row: number; readonly line: ClearingLine }[]> {
  for (const block of csvBlocks(tapped(partsOf(file), onPart), CLEARING_COLUMNS))
    yield block.filter((row) => !isTrailer(row)).map((row) => ({ row: row.row, line: clearingLineOf(row) }));
}

function* rowsOf(parts: Iterable<Buffer>): Generator<ClearingRow> {
  for (const block of csvBlocks(parts, CLEARING_COLUMNS)) yield* block;
}

const isTrailer = ({ fields }: ClearingRow) => fields.message_reference === TRAILER;

/** References that only look the same pass. */
function refuseRepeated(file: string, isSuspect: (reference: string) => boolean): void {
  const stood = new Map<string, number>();
  for (const { row, fields } of rowsOf(partsOf(file))) {
    const { message_reference: reference } = fields;
    if (reference === TRAILER || !isSuspect(reference)) continue;
    const before = stood.get(reference);
    if (before !== undefined)
      throw new BadInput(row, `The message_reference ${reference} stands in line ${before} as well.`);
    stood.set(reference, row);
  }
}

/** Number and sum of the lines of each currency, and those that its trailer states. */
class Totals {
  readonly #sums = new Map<string, { count: number; sum: bigint }>();
  readonly #stood = new Set<string>();
  #lastRow: number | null = null;

  add({ row }: ClearingRow, { type, amount, currency }: ClearingLine): void {
    if (this.#stood.size > 0) throw new BadInput(row, 'A line stands behind the TOTAL.');
    const { count, sum } = this.#sums.get(currency) ?? NOTHING;
    this.#sums.set(currency, { count: count + 1, sum: sum + SIGN[type] * amount });
    this.#lastRow = row;
  }

  check({ row, fields }: ClearingRow): void {
    const { currency, network_reference: count, amount } = fields;
    if (!isCurrency(currency)) throw new BadInput(row, `${shortened(currency)} is no currency.`);
    if (this.#stood.has(currency)) throw new BadInput(row, `A TOTAL of ${currency} stands before it.`);
    this.#stood.add(currency);
    const counted = this.#sums.get(currency) ?? NOTHING;
    if (count !== String(counted.count) || amount !== String(counted.sum))
      throw new BadInput(
        row,
        `The TOTAL of ${currency} is ${shortened(count)} lines and ${shortened(amount)}, and the lines come to ${counted.count} and ${counted.sum}.`,
      );
  }

  finish(): void {
    if (this.#stood.size === 0) throw new BadInput(this.#lastRow, 'The file ends without its TOTAL: it is not whole.');
    const missing = [...this.#sums.keys()].find((currency) => !this.#stood.has(currency));
    if (missing !== undefined) throw new BadInput(null, `There is no TOTAL of ${missing}: the file is not whole.`);
  }
}

const NOTHING = { count: 0, sum: 0n };

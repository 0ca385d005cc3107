/**
 * The first reading of a settlement report: whether it is whole. Every line has its form, no line_id stands in it twice, and each currency has
 * a TOTAL of what its lines come to. Nothing is kept before that is certain, and no more than a block of lines is in memory at once.
 */
import { BadInput } from '../../intake/bad-input.ts';
import { csvBlocks } from '../../intake/csv-blocks.ts';
import { hashed, newDigest, type ReadAgain, tapped } from '../../intake/read-twice.ts';
import { RepeatedTexts } from '../../intake/repeated-texts.ts';
import { isCurrency } from '../../money/currency.ts';
import {
  AMOUNT_MAX,
  amountOf,
  magnitude,
  REPORT_COLUMNS,
  type ReportLine,
  type ReportRow,
  reportLineOf,
  shortened,
  TRAILER,
} from './report.ts';

/** What a merchant has of a report in one currency. */
export interface ReportShare {
  readonly merchant: string;
  readonly currency: string;
  readonly lines: number;
  readonly gross: bigint;
  readonly cost: bigint;
}

export interface CheckedReport {
  readonly readAgain: ReadAgain;
  readonly sha256: string;
  readonly lines: number;
  readonly shares: readonly ReportShare[];
}

/** They are in memory at once. */
const SHARES_MAX = 10_000;

/** No lines is a day without transactions. Throws BadInput, with the line of the file. */
export function checkReport(readAgain: ReadAgain): CheckedReport {
  const digest = newDigest();
  const lineIds = new RepeatedTexts();
  const totals = new Totals();
  const shares = new Map<string, ReportShare>();
  let lines = 0;
  for (const row of rowsOf(hashed(readAgain(), digest))) {
    if (isTrailer(row)) {
      totals.state(row);
      continue;
    }
    const line = reportLineOf(row);
    totals.add(line);
    lineIds.add(line.lineId);
    addShare(shares, line);
    lines += 1;
  }
  totals.requireTrailer();
  const isSuspect = lineIds.suspects();
  if (isSuspect !== undefined) refuseRepeated(readAgain, isSuspect);
  totals.check();
  return { readAgain, sha256: digest.digest('hex'), lines, shares: [...shares.values()] };
}

/** The second reading: its lines, block by block. `onPart` gets its bytes. */
export function* reportLines(readAgain: ReadAgain, onPart: (part: Buffer) => void): Generator<readonly ReportLine[]> {
  for (const block of csvBlocks(tapped(readAgain(), onPart), REPORT_COLUMNS))
    yield block.filter((row) => !isTrailer(row)).map(reportLineOf);
}

function* rowsOf(parts: Iterable<Buffer>): Generator<ReportRow> {
  for (const block of csvBlocks(parts, REPORT_COLUMNS)) yield* block;
}

const isTrailer = ({ fields }: ReportRow) => fields.line_id === TRAILER;

export const shareKey = ({ merchant, currency }: Pick<ReportShare, 'merchant' | 'currency'>) =>
  `${currency} ${merchant}`;

function addShare(shares: Map<string, ReportShare>, { row, merchant, currency, gross, cost }: ReportLine): void {
  const key = shareKey({ merchant, currency });
  const share = shares.get(key) ?? { merchant, currency, lines: 0, gross: 0n, cost: 0n };
  if (share.lines === 0 && shares.size === SHARES_MAX)
    throw new BadInput(row, `A report is about at most ${SHARES_MAX} merchants and currencies.`);
  shares.set(key, { ...share, lines: share.lines + 1, gross: share.gross + gross, cost: share.cost + cost });
}

/** Ids that only look the same pass. */
function refuseRepeated(readAgain: ReadAgain, isSuspect: (lineId: string) => boolean): void {
  const stood = new Map<string, number>();
  for (const { row, fields } of rowsOf(readAgain())) {
    const { line_id: lineId } = fields;
    if (lineId === TRAILER || !isSuspect(lineId)) continue;
    const before = stood.get(lineId);
    if (before !== undefined) throw new BadInput(row, `The line_id ${lineId} stands in line ${before} as well.`);
    stood.set(lineId, row);
  }
}

interface Sum {
  readonly count: number;
  readonly gross: bigint;
  readonly cost: bigint;
  readonly net: bigint;
  /** Of both, without their signs. */
  readonly moved: bigint;
}

/** What a currency without lines comes to: a report may state so. */
const NOTHING: Sum = { count: 0, gross: 0n, cost: 0n, net: 0n, moved: 0n };

/** What the lines of each currency come to, and what their trailers state. */
class Totals {
  readonly #sums = new Map<string, Sum>();
  readonly #trailers = new Map<string, ReportRow>();
  #lastRow: number | null = null;

  /** Sums of a currency must fit an amount in any order and for any book: so magnitudes are added, without signs. */
  add({ row, currency, gross, cost, net }: ReportLine): void {
    if (this.#trailers.size > 0) throw new BadInput(row, 'A line stands behind the TOTAL.');
    const sum = this.#sums.get(currency) ?? NOTHING;
    const moved = sum.moved + magnitude(gross) + magnitude(cost);
    if (moved > AMOUNT_MAX)
      throw new BadInput(row, `With this line the amounts in ${currency} come to more than ${AMOUNT_MAX}.`);
    this.#sums.set(currency, {
      count: sum.count + 1,
      gross: sum.gross + gross,
      cost: sum.cost + cost,
      net: sum.net + net,
      moved,
    });
    this.#lastRow = row;
  }

  state(trailer: ReportRow): void {
    const { row, fields } = trailer;
    const { currency } = fields;
    if (!isCurrency(currency)) throw new BadInput(row, `${shortened(currency)} is no currency.`);
    if (this.#trailers.has(currency)) throw new BadInput(row, `A TOTAL of ${currency} stands before it.`);
    this.#trailers.set(currency, trailer);
  }

  requireTrailer(): void {
    if (this.#trailers.size === 0)
      throw new BadInput(this.#lastRow, 'The file ends without its TOTAL: it is not whole.');
  }

  check(): void {
    for (const [currency, { row, fields }] of this.#trailers) {
      const sum = this.#sums.get(currency) ?? NOTHING;
      const stated = [
        fields.merchant,
        ...(['gross', 'cost', 'net'] as const).map((name) => String(amountOf(row, fields, name))),
      ];
      const counted = [sum.count, sum.gross, sum.cost, sum.net].map(String);
      if (stated.join() !== counted.join())
        throw new BadInput(
          row,
          `The TOTAL of ${currency} is ${stated.join(',')}, and the lines come to ${counted.join(',')} (lines, gross, cost, net).`,
        );
    }
    const missing = [...this.#sums.keys()].find((currency) => !this.#trailers.has(currency));
    if (missing !== undefined) throw new BadInput(null, `There is no TOTAL of ${missing}: the file is not whole.`);
  }
}

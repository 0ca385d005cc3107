/**
 * Writes a report as CSV or JSON, piece by piece. No time of making is in it: the same figures give the same bytes while names and texts
 * are the same. The digest leaves these out, and is the same for good.
 */
import { createHash, hash } from 'node:crypto';
import { decimalOf } from '../../money/amount.ts';
import { currencyExponent } from '../../money/currency.ts';
import { CSV_BOM, type CsvColumn, csvHeader, csvRow } from '../../values/csv-writing.ts';
import { toJson } from '../../values/json.ts';
import { type Cell, type Column, FigureContradicted, type FigureKind, type FigurePage, type Row } from './figures.ts';

export const FORMATS = ['csv', 'json'] as const;
export type Format = (typeof FORMATS)[number];

export interface Totals {
  readonly currency: string;
  readonly debits: bigint;
  readonly credits: bigint;
}

/** What stands beside a file. Digests are in hexadecimal digits. */
export interface Written {
  readonly rows: number;
  readonly totals: readonly Totals[];
  readonly bytes: number;
  readonly sha256: string;
  /**
   * Over all columns but names and texts: SHA-256 of each row's, as a line of JSON behind the digest of the rows before it. So a writer that
   * goes on needs no more than the last one.
   */
  readonly digest: string;
}

export interface WriteOptions {
  readonly format: Format;
  /** A byte order mark, for spreadsheets that expect one. Of CSV alone. */
  readonly bom: boolean;
  /** Members of the JSON before its rows. */
  readonly head: Readonly<Record<string, unknown>>;
}

/** What a writer has written, for another one that goes on. */
export interface WriterState {
  readonly rows: number;
  readonly totals: readonly Totals[];
  readonly digest: string;
}

const NOTHING: WriterState = { rows: 0, totals: [], digest: '' };

/** Makes the text of a report, page by page. */
export class FigureWriter {
  readonly #kind: Pick<FigureKind, 'columns' | 'balances'>;
  readonly #options: WriteOptions;
  readonly #inCsv: readonly CsvColumn<Row>[];
  readonly #inDigest: readonly Column[];
  readonly #totals: Map<string, { debits: bigint; credits: bigint }>;
  #rows: number;
  #digest: string;

  constructor(kind: Pick<FigureKind, 'columns' | 'balances'>, options: WriteOptions, known: WriterState = NOTHING) {
    this.#kind = kind;
    this.#options = options;
    this.#inCsv = csvColumns(kind.columns);
    this.#inDigest = kind.columns.filter(({ is }) => is !== 'text');
    this.#totals = new Map(known.totals.map(({ currency, ...sum }) => [currency, { ...sum }]));
    this.#rows = known.rows;
    this.#digest = known.digest;
  }

  begin(): string {
    const { format, bom, head } = this.#options;
    if (format === 'csv') return `${bom ? CSV_BOM : ''}${csvHeader(this.#inCsv)}`;
    return `${toJson(head).slice(0, -1)},"rows":[`;
  }

  page(rows: readonly Row[]): string {
    const { columns } = this.#kind;
    let text = '';
    for (const row of rows) {
      const line = toJson(this.#inDigest.map(({ name }) => shownCell(row[name]!)));
      this.#digest = hash('sha256', `${this.#digest}${line}\n`);
      add(this.#totals, columns, row);
      text +=
        this.#options.format === 'csv'
          ? csvRow(this.#inCsv, row)
          : `${this.#rows === 0 ? '' : ','}\n${jsonRow(columns, row)}`;
      this.#rows += 1;
    }
    return text;
  }

  /** Throws FigureContradicted where debits and credits are not the same sum. */
  end(): string {
    const { totals } = this.state();
    if (this.#kind.balances) requireBalance(totals);
    return this.#options.format === 'json' ? `\n],"totals":${toJson(totals)}}\n` : '';
  }

  state(): WriterState {
    const totals = [...this.#totals].map(([currency, sum]) => ({ currency, ...sum })).sort(byCurrency);
    return { rows: this.#rows, totals, digest: this.#digest };
  }

  /** Of a report without rows as well. */
  get digest(): string {
    return this.#digest === '' ? hash('sha256', '') : this.#digest;
  }
}

/** Each piece is given once, and nothing is read ahead of it. */
export async function writeFigures(
  kind: FigureKind,
  pages: AsyncIterable<FigurePage>,
  options: WriteOptions,
  push: (piece: Buffer) => Promise<void> | void,
): Promise<Written> {
  const writer = new FigureWriter(kind, options);
  const sha256 = createHash('sha256');
  let bytes = 0;
  const send = async (text: string) => {
    if (text === '') return;
    const piece = Buffer.from(text);
    sha256.update(piece);
    bytes += piece.length;
    await push(piece);
  };
  await send(writer.begin());
  for await (const { rows } of pages) await send(writer.page(rows));
  await send(writer.end());
  const { rows, totals } = writer.state();
  return { rows, totals, bytes, sha256: sha256.digest('hex'), digest: writer.digest };
}

const byCurrency = (one: Totals, other: Totals) => (one.currency < other.currency ? -1 : 1);

function add(totals: Map<string, { debits: bigint; credits: bigint }>, columns: readonly Column[], row: Row): void {
  for (const { name, totals: to } of columns) {
    if (to === undefined) continue;
    const sum = totals.get(row.currency) ?? { debits: 0n, credits: 0n };
    sum[to] += row[name] as bigint;
    totals.set(row.currency, sum);
  }
}

function requireBalance(sums: readonly Totals[]): void {
  const off = sums.find(({ debits, credits }) => debits !== credits);
  if (off)
    throw new FigureContradicted(
      `Of ${off.currency}, debits come to ${off.debits} and credits to ${off.credits}. Run \`npm run verify\`.`,
    );
}

/** Amounts as decimal text: the digest is over text. */
const shownCell = (cell: Cell) => (typeof cell === 'bigint' ? String(cell) : cell);

/** Of each amount a column with its decimals and one in minor units. */
export function csvColumns(columns: readonly Column[]): CsvColumn<Row>[] {
  return columns.flatMap(({ name, is }): CsvColumn<Row>[] => {
    const read = (row: Row) => row[name]!;
    if (is !== 'amount') return [{ name, is: is === 'text' ? 'text' : 'plain', read }];
    return [
      { name, is: 'plain', read: (row) => decimalOf(row[name] as bigint, row.currency) },
      { name: `${name}_minor`, is: 'plain', read },
    ];
  });
}

function jsonRow(columns: readonly Column[], row: Row): string {
  return toJson({
    ...Object.fromEntries(columns.map(({ name }) => [name, row[name]])),
    currency_exponent: currencyExponent(row.currency),
  });
}

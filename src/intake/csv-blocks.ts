/**
 * CSV files that are too large to be read whole: the same rows as csv.ts reads, block by block. A block ends where a row ends, which is
 * seen in the bytes: a line end is within quotes where an odd number of quotes stands before it. So the parser gets whole rows, and no more
 * than a block is in memory at once. Pure: bytes in, rows out.
 */
import { BadInput } from './bad-input.ts';
import { CR, type CsvRow, eachRow, LF, type ParsedRow, ROW_MAX, Table, textOf } from './csv.ts';

const QUOTE = 34;

/** The rows of a file whose bytes come in parts, a block at a time. Throws BadInput as readCsv does, once what is before it was given. */
export function* csvBlocks<Column extends string>(
  parts: Iterable<Buffer>,
  columns: readonly Column[],
): Generator<readonly CsvRow<Column>[]> {
  const blocks = new RowBlocks();
  const table = new Table(columns);
  const rowsOf = ({ bytes, linesBefore }: Block) => {
    eachRow(textOf(bytes), table.take, { linesBefore });
    return table.rows();
  };
  for (const part of parts) {
    const block = blocks.push(part);
    if (block !== undefined) yield rowsOf(block);
  }
  const rest = blocks.rest();
  if (rest !== undefined) yield rowsOf(rest);
  table.end();
}

/** Whole rows. */
export interface Block {
  readonly bytes: Buffer;
  readonly linesBefore: number;
}

/** Cuts bytes that come in parts into blocks of whole rows. UTF-8, or another encoding that keeps ASCII as it is. */
export class RowBlocks {
  /** Behind the last whole row. */
  #pending: Buffer = Buffer.alloc(0);
  /** How far it was looked at, and what stood there. */
  #at = 0;
  #isQuoted = false;
  #lines = 0;
  #linesAtStart = 0;

  /** `linesBefore`: those of the file that are not among the bytes. */
  constructor(linesBefore = 0) {
    this.#lines = linesBefore;
    this.#linesAtStart = linesBefore;
  }

  /** The whole rows that there are with the part. Throws BadInput for a row of more than ROW_MAX bytes. */
  push(part: Buffer): Block | undefined {
    const bytes = this.#pending.length === 0 ? part : Buffer.concat([this.#pending, part]);
    let rowStart = 0;
    let linesAtRow = this.#linesAtStart;
    let at = this.#at;
    for (; at < bytes.length; at++) {
      const byte = bytes[at];
      if (byte === QUOTE) this.#isQuoted = !this.#isQuoted;
      else if (byte === LF || byte === CR) {
        // The next part shows whether it ends the line.
        if (byte === CR && at + 1 === bytes.length) break;
        if (byte === CR && bytes[at + 1] === LF) continue;
        this.#lines++;
        if (!this.#isQuoted) {
          rowStart = at + 1;
          linesAtRow = this.#lines;
        }
      }
      if (at - rowStart >= ROW_MAX) throw new BadInput(linesAtRow + 1, `It has more than ${ROW_MAX} bytes.`);
    }
    const linesBefore = this.#linesAtStart;
    this.#pending = bytes.subarray(rowStart);
    this.#at = at - rowStart;
    if (rowStart === 0) return undefined;
    this.#linesAtStart = linesAtRow;
    return { bytes: bytes.subarray(0, rowStart), linesBefore };
  }

  /** A last row that no line end ends. */
  rest(): Block | undefined {
    return this.#pending.length === 0 ? undefined : { bytes: this.#pending, linesBefore: this.#linesAtStart };
  }
}

/**
 * The rows below the header of a file, a block at a time. `judge` throws for a header that is not wanted, before any row is read: nobody else
 * bounds how many fields a row may have. A row with more fields than the header is the last that is read. Throws BadInput.
 */
export async function* csvRows(
  parts: AsyncIterable<Buffer>,
  judge: (header: readonly string[]) => void,
): AsyncGenerator<readonly ParsedRow[]> {
  const blocks = new RowBlocks();
  let columns: number | undefined;
  let isOver = false;
  const rowsOfBlock = ({ bytes, linesBefore }: Block) => {
    const rows: ParsedRow[] = [];
    const take = (row: ParsedRow) => {
      if (columns === undefined) {
        judge(row.record);
        columns = row.record.length;
        return true;
      }
      isOver = row.record.length > columns;
      rows.push(row);
      return !isOver;
    };
    eachRow(textOf(bytes), take, { linesBefore });
    return rows;
  };
  for await (const part of parts) {
    const block = blocks.push(part);
    if (block !== undefined) yield rowsOfBlock(block);
    if (isOver) return;
  }
  const rest = blocks.rest();
  if (rest !== undefined) yield rowsOfBlock(rest);
}

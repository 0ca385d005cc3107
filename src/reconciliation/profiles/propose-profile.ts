/**
 * Finds the profiles by which a CSV file of a bank can be read. Pure: bytes in, readings out. What two readings fit is asked and never guessed:
 * `1,234` is one thing or a thousand times as much, and 03/04 is two days.
 */
import { BadInput } from '../../intake/bad-input.ts';
import { eachRow, type ParsedRow } from '../../intake/csv.ts';
import { type DateFormat, formatsOf, writtenDay } from '../reading/csv-days.ts';
import { COLUMNS_MAX, type CsvProfile, DELIMITERS, readCsvStatement } from '../reading/read-csv.ts';
import type { Question } from './proposal.ts';
import { type ColumnAnswers, columnsOf } from './propose-columns.ts';
import { signsOf } from './propose-signs.ts';
import type { CsvForm } from './saved-profile.ts';

/** What a person has answered already. */
export interface Answers extends ColumnAnswers, Partial<Omit<CsvForm, 'columns'>> {}

export type Proposed =
  | { readonly is: 'profile'; readonly form: CsvForm; readonly lines: number }
  | { readonly is: 'questions'; readonly questions: readonly Question[] };

interface Table {
  readonly delimiter: CsvForm['delimiter'];
  readonly skip: number;
  readonly header: readonly string[];
  readonly rows: readonly ParsedRow[];
}

/** Lines that may stand before a header. */
const SKIP_MAX = 30;

/** `currency`: of the account, where no column states it. Throws BadInput where nothing fits, with the line. */
export function proposeProfile(bytes: Buffer, { currency, answers }: { currency: string; answers: Answers }): Proposed {
  const encoding = answers.encoding ?? encodingOf(bytes);
  const tables = tablesOf(decoded(bytes, encoding), answers);
  if (tables.length === 0)
    throw new BadInput(
      null,
      'No line of it is a header above rows with a day and an amount, whatever stands between fields. Name the column of days with --booked-on, and that of amounts with --amount, or --debit and --credit.',
    );
  if (tables.length > 1) {
    const choices = tables.map(({ delimiter, header }) => ({ value: shownSign(delimiter), reads: header.join(' | ') }));
    return { is: 'questions', questions: [{ about: 'delimiter', choices }] };
  }
  return ofTable(tables[0]!, { bytes, encoding, currency, answers });
}

interface OfTable {
  readonly bytes: Buffer;
  readonly encoding: CsvForm['encoding'];
  readonly currency: string;
  readonly answers: Answers;
}

function ofTable({ delimiter, skip, header, rows }: Table, { bytes, encoding, currency, answers }: OfTable): Proposed {
  const asked = columnsOf(header, rows, answers);
  if (asked.questions.length > 0) return { is: 'questions', questions: asked.questions };
  const { columns } = asked;
  const field = (record: readonly string[], name: string) => (record[header.indexOf(name)] ?? '').trim();
  const days = [columns.booked_on, columns.value_on].filter((name) => name !== undefined);
  const dates = formatsOf(rows.flatMap(({ record }) => days.map((name) => field(record, name)).filter(Boolean)));
  const amounts = [columns.amount, columns.debit, columns.credit, columns.balance].filter((name) => name !== undefined);
  const written = rows.flatMap(({ row, record }) =>
    amounts.flatMap((name) => {
      const text = field(record, name);
      const of = columns.currency === undefined ? currency : field(record, columns.currency) || currency;
      return text === '' ? [] : [{ row, text, currency: of }];
    }),
  );
  const signs = signsOf(written, answers);
  const questions: Question[] = [];
  if (answers.dateFormat === undefined && dates.length > 1)
    questions.push(aboutDates(dates, rows, (record) => field(record, columns.booked_on)));
  if (signs.question !== undefined) questions.push(signs.question);
  if (questions.length > 0) return { is: 'questions', questions };
  const dateFormat = answers.dateFormat ?? dates[0];
  if (dateFormat === undefined)
    throw new BadInput(rows[0]!.row, `No form of days fits every row of ${columns.booked_on}.`);
  const form = { delimiter, encoding, skip, columns, ...signs.chosen!, dateFormat };
  return { is: 'profile', form, lines: linesBy(bytes, { ...form, account: 'PROPOSED', currency }) };
}

/** Reads the whole file as it would be read. Throws BadInput, with the line. */
function linesBy(bytes: Buffer, profile: CsvProfile): number {
  return readCsvStatement(bytes, profile).filter(({ is }) => is === 'line').length;
}

/** Any character is one of Windows-1252, so it is what is left. */
function encodingOf(bytes: Buffer): CsvForm['encoding'] {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  if (bytes.includes(0)) return bytes[0] === 0 ? 'utf-16be' : 'utf-16le';
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return 'utf-8';
  } catch {
    return 'windows-1252';
  }
}

function decoded(bytes: Buffer, encoding: CsvForm['encoding']): string {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw new BadInput(null, `The file is not ${encoding}.`);
  }
}

/** The header is the first line below which rows have as many fields as it, with a day and an amount among them. */
function tablesOf(text: string, answers: Answers): Table[] {
  const delimiters = answers.delimiter === undefined ? DELIMITERS : [answers.delimiter];
  return delimiters.flatMap((delimiter) => {
    const skips = answers.skip === undefined ? Array.from({ length: SKIP_MAX + 1 }, (_, skip) => skip) : [answers.skip];
    for (const skip of skips) {
      const table = tableAt(text, { delimiter, skip, answers });
      if (table !== undefined) return [table];
    }
    return [];
  });
}

interface At {
  readonly delimiter: CsvForm['delimiter'];
  readonly skip: number;
  readonly answers: Answers;
}

function tableAt(text: string, { delimiter, skip, answers }: At): Table | undefined {
  let from = 0;
  for (let line = 0; line < skip; line++) {
    const end = text.indexOf('\n', from);
    if (end === -1) return undefined;
    from = end + 1;
  }
  const [header, ...rows] = rowsBelow(text.slice(from), { delimiter, skip });
  if (header === undefined || rows.length === 0 || header.record.length < 2) return undefined;
  const names = header.record.map((name) => name.trim());
  const isTable = rows.every(({ record }) => record.length === names.length) && new Set(names).size === names.length;
  // A row of data is no header.
  if (!isTable || names.some((name) => name === '' || /^[+-]?\d/.test(name))) return undefined;
  return columnsOf(names, rows, answers).fits ? { delimiter, skip, header: names, rows } : undefined;
}

function rowsBelow(text: string, { delimiter, skip }: { delimiter: string; skip: number }): readonly ParsedRow[] {
  try {
    const rows: ParsedRow[] = [];
    // One with other fields than the first shows that this is no table, as does a first one of too many: what is below it is not read.
    const take = (row: ParsedRow) =>
      rows.push(row) > 0 && row.record.length === rows[0]!.record.length && row.record.length <= COLUMNS_MAX;
    eachRow(text, take, { linesBefore: skip, delimiter });
    return rows;
  } catch (error) {
    // Quotes of a text before the header, or of another delimiter.
    if (error instanceof BadInput) return [];
    throw error;
  }
}

function aboutDates(
  formats: readonly DateFormat[],
  rows: readonly ParsedRow[],
  day: (record: readonly string[]) => string,
): Question {
  // A day that reads differently, where there is one.
  const texts = rows.map(({ record }) => day(record));
  const text = texts.find((one) => new Set(formats.map((format) => writtenDay(one, format))).size > 1) ?? texts[0]!;
  const choices = formats.map((format) => ({ value: format, reads: `${text} is ${writtenDay(text, format)}` }));
  return { about: 'date_format', choices };
}

/** A sign as a person types it. */
export function shownSign(sign: string): string {
  return sign === '\t' ? 'tab' : sign;
}

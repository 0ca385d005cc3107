/**
 * CSV of a bank's portal, by a saved profile that states what its columns are: no two banks agree. A file is one statement, with balances where
 * the profile names a column of them.
 */
import { BadInput } from '../../intake/bad-input.ts';
import { eachRow, type ParsedRow } from '../../intake/csv.ts';
import {
  type BankFileLine,
  type BankFileReader,
  type BankFileStatement,
  givenReference,
  type Read,
  type StatedBalance,
  StatementInvalid,
  TEXT_MAX,
} from './bank-file.ts';
import { type DateFormat, writtenDay } from './csv-days.ts';
import { dayOrInvalid, minorUnits, shown } from './decimal.ts';

export const ENCODINGS = ['utf-8', 'windows-1252', 'utf-16le', 'utf-16be'] as const;
export const DELIMITERS = [';', ',', '\t', '|'] as const;
export const DECIMALS = ['.', ','] as const;
/** Some banks write a space that does not break a line. */
export const GROUPS = ['.', ',', ' ', "'", '\u00a0', '\u202f'] as const;

/** Names of columns, as the header has them. */
export interface CsvColumns {
  readonly booked_on: string;
  readonly value_on?: string | undefined;
  /** A signed amount, or one beside `sign`; else `debit` and `credit`. */
  readonly amount?: string | undefined;
  readonly sign?: string | undefined;
  readonly debit?: string | undefined;
  readonly credit?: string | undefined;
  readonly currency?: string | undefined;
  readonly balance?: string | undefined;
  readonly reference?: string | undefined;
  readonly end_to_end_id?: string | undefined;
  readonly counterparty?: string | undefined;
  readonly text: readonly string[];
}

export interface CsvProfile {
  readonly delimiter: (typeof DELIMITERS)[number];
  readonly encoding: (typeof ENCODINGS)[number];
  /** Lines before the header. */
  readonly skip: number;
  readonly columns: CsvColumns;
  readonly decimal: (typeof DECIMALS)[number];
  /** Between groups of three digits. */
  readonly group: (typeof GROUPS)[number] | null;
  readonly dateFormat: DateFormat;
  /** The account of its lines, and their currency where no column states it. */
  readonly account: string;
  readonly currency: string;
}

/** A portal exports some thousand rows. Larger files come in a format of banks. */
const BYTES_MAX = 64 * 1024 * 1024;
/** Many times what a portal exports. Rows are bounded by their header, and this bounds the header. */
export const COLUMNS_MAX = 1_000;

export class CsvStatementReader implements BankFileReader {
  readonly #profile: CsvProfile;
  readonly #parts: Buffer[] = [];
  #bytes = 0;

  constructor(profile: CsvProfile) {
    this.#profile = profile;
  }

  push(bytes: Buffer): readonly Read[] {
    this.#bytes += bytes.length;
    if (this.#bytes > BYTES_MAX) throw new BadInput(null, `A CSV has at most ${BYTES_MAX} bytes.`);
    this.#parts.push(bytes);
    return [];
  }

  end(): readonly Read[] {
    const { skip, encoding, delimiter } = this.#profile;
    const text = withoutFirstLines(decoded(Buffer.concat(this.#parts), encoding), skip);
    const taken = new Taken(this.#profile);
    try {
      eachRow(text, taken.take, { linesBefore: skip, delimiter });
      const { header, lines, stated } = taken;
      if (header === undefined) throw new BadInput(null, 'The file has no header.');
      const balances = endsOf(lines, stated);
      return [...lines.map((line): Read => ({ is: 'line', line })), this.#statement(lines, header.row, balances)];
    } catch (error) {
      throw error instanceof StatementInvalid ? new BadInput(error.row, error.message) : error;
    }
  }

  #statement(lines: readonly BankFileLine[], row: number, balances: Ends | undefined): Read {
    const { account, currency } = this.#profile;
    const days = lines.map(({ bookedOn }) => bookedOn).sort();
    const others = new Set(lines.map((line) => line.currency).filter((one) => one !== currency));
    const statement: BankFileStatement = {
      kind: 'statement',
      row,
      account,
      currency,
      number: null,
      page: null,
      from: days[0] ?? null,
      to: days.at(-1) ?? null,
      opening: balances?.opening ?? null,
      closing: balances?.closing ?? null,
      otherCurrencies: [...others],
      groupStatus: null,
      fault: null,
    };
    return { is: 'statement', statement };
  }
}

/** What was read of a file. Each row is judged as it comes: the first that is wrong ends the reading. */
class Taken {
  readonly #profile: CsvProfile;
  header: Header | undefined;
  readonly lines: BankFileLine[] = [];
  /** The balance behind each line. */
  readonly stated: (bigint | undefined)[] = [];

  constructor(profile: CsvProfile) {
    this.#profile = profile;
  }

  readonly take = (read: ParsedRow): boolean => {
    if (this.header === undefined) {
      this.header = headerOf(read, this.#profile.columns);
      return true;
    }
    requireFields(read, this.header);
    const at = { row: read.row, places: this.header.places, profile: this.#profile };
    this.lines.push(lineOf(read.record, at));
    this.stated.push(balanceOf(read.record, at));
    return true;
  };
}

interface Header {
  readonly row: number;
  readonly places: Places;
  /** Up to its last name, and with the fields without a name behind it. */
  readonly named: number;
  readonly fields: number;
}

/** Throws BadInput for one with too many columns, or without those that the profile names. */
function headerOf({ row, record }: ParsedRow, columns: CsvColumns): Header {
  if (record.length > COLUMNS_MAX)
    throw new BadInput(row, `It has ${record.length} columns; a CSV has at most ${COLUMNS_MAX}.`);
  const named = record.findLastIndex((name) => name.trim() !== '') + 1;
  return { row, places: placesOf(record, columns, row), named, fields: record.length };
}

/** Throws BadInput for a row with fewer fields than the header names, or with more than it and a delimiter at its end. */
function requireFields({ row, record }: ParsedRow, { named, fields }: Header): void {
  if (record.length > fields + 1) throw new BadInput(row, `It has ${record.length} of ${fields} fields.`);
  if (record.length < named)
    throw new BadInput(row, `It has ${record.length} of ${named} fields: the file is cut off.`);
}

function decoded(bytes: Buffer, encoding: CsvProfile['encoding']): string {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw new BadInput(null, `The file is not ${encoding}, as its profile states.`);
  }
}

function withoutFirstLines(text: string, count: number): string {
  let from = 0;
  for (let line = 0; line < count; line++) {
    const end = text.indexOf('\n', from);
    if (end === -1)
      throw new BadInput(null, `The file has no ${count} lines before its header, as its profile states.`);
    from = end + 1;
  }
  return text.slice(from);
}

type Places = ReadonlyMap<string, number>;

function placesOf(header: readonly string[], { text, ...named }: CsvColumns, row: number): Places {
  const names = header.map((name) => name.trim());
  const wanted = [...Object.values(named), ...text].filter((name) => name !== undefined);
  const missing = wanted.find((name) => !names.includes(name));
  if (missing !== undefined) throw new BadInput(row, `There is no column ${shown(missing)}, which the profile names.`);
  const twice = Object.values(named).find((name) => names.indexOf(name) !== names.lastIndexOf(name));
  if (twice !== undefined)
    throw new BadInput(row, `There are several columns ${shown(twice)}, and the profile names one.`);
  return new Map(wanted.map((name) => [name, names.indexOf(name)]));
}

interface Row {
  readonly row: number;
  readonly places: Places;
  readonly profile: CsvProfile;
}

function lineOf(record: readonly string[], { row, places, profile }: Row): BankFileLine {
  const field = (name: string | undefined) => (name === undefined ? '' : (record[places.get(name)!] ?? '').trim());
  const { columns } = profile;
  const currency = field(columns.currency) || profile.currency;
  const bookedOn = dayIn(field(columns.booked_on), profile.dateFormat, row);
  const valueOn = field(columns.value_on);
  const text = columns.text.map(field).filter(Boolean).join(' ');
  return {
    row,
    standing: 'booked',
    bookedOn,
    valueOn: valueOn === '' ? null : dayIn(valueOn, profile.dateFormat, row),
    amount: amountOf(field, { row, profile, currency }),
    currency,
    isReversal: false,
    bankReference: givenReference(field(columns.reference)),
    endToEndId: givenReference(field(columns.end_to_end_id)),
    references: [],
    batch: null,
    counterpartyName: field(columns.counterparty).slice(0, 200) || null,
    counterpartyAccount: null,
    text: text.slice(0, TEXT_MAX) || null,
    code: null,
    charges: [],
    original: null,
    details: [],
  };
}

/** What stands on the account behind a line. Undefined where no column states it. */
function balanceOf(record: readonly string[], { row, places, profile }: Row): bigint | undefined {
  const { balance } = profile.columns;
  const text = balance === undefined ? '' : (record[places.get(balance)!] ?? '').trim();
  return text === '' ? undefined : csvAmount(text, { row, profile, currency: profile.currency });
}

interface Ends {
  readonly opening: StatedBalance;
  readonly closing: StatedBalance;
}

/**
 * Where the account stood before the first line and behind the last, by a column of balances. Portals list the newest line first or last: the
 * order is the one in which every balance follows from the one before. Throws StatementInvalid where lines are missing between two balances.
 */
function endsOf(lines: readonly BankFileLine[], balances: readonly (bigint | undefined)[]): Ends | undefined {
  if (lines.length === 0 || balances.some((one) => one === undefined)) return undefined;
  const all = lines.map((line, index) => ({ line, balance: balances[index]! }));
  const broken = breakOf(all);
  const ordered = broken === undefined ? all : all.toReversed();
  if (broken !== undefined && breakOf(ordered) !== undefined)
    throw new StatementInvalid(broken, 'Its balance does not follow from the one before it: lines are missing.');
  const [first, last] = [ordered[0]!, ordered.at(-1)!];
  return {
    opening: { amount: first.balance - first.line.amount, on: first.line.bookedOn },
    closing: { amount: last.balance, on: last.line.bookedOn },
  };
}

/** The row whose balance does not follow. */
function breakOf(all: readonly { readonly line: BankFileLine; readonly balance: bigint }[]): number | undefined {
  const at = all.findIndex(
    ({ line, balance }, index) => index > 0 && all[index - 1]!.balance + line.amount !== balance,
  );
  return at === -1 ? undefined : all[at]!.line.row;
}

interface AmountPlace {
  readonly row: number;
  readonly profile: CsvProfile;
  readonly currency: string;
}

interface AmountSigns extends Omit<AmountPlace, 'profile'> {
  readonly profile: Pick<CsvProfile, 'decimal' | 'group'>;
}

export const MONEY_OUT = /^(-|D|DR|DEBIT|DBIT|S|SOLL)$/i;
export const MONEY_IN = /^(\+|C|CR|CREDIT|CRDT|H|HABEN)$/i;

function amountOf(field: (name: string | undefined) => string, { row, profile, currency }: AmountPlace): bigint {
  const { columns } = profile;
  const read = (text: string) => csvAmount(text, { row, profile, currency });
  if (columns.amount === undefined) {
    const stated = [field(columns.debit), field(columns.credit)] as const;
    if (stated[0] === '' && stated[1] === '') throw new StatementInvalid(row, 'It has neither a debit nor a credit.');
    // Some banks write zeros where nothing moved.
    const [debit, credit] = stated.map((text) => (text === '' ? 0n : read(text))) as [bigint, bigint];
    if (debit !== 0n && credit !== 0n) throw new StatementInvalid(row, 'It has a debit and a credit.');
    return debit === 0n ? credit : debit < 0n ? debit : -debit;
  }
  const amount = read(field(columns.amount));
  if (columns.sign === undefined) return amount;
  const sign = field(columns.sign);
  if (amount < 0n)
    throw new StatementInvalid(row, 'Its amount has a sign of its own beside the column that states the sign.');
  if (MONEY_OUT.test(sign)) return -amount;
  if (MONEY_IN.test(sign)) return amount;
  throw new StatementInvalid(row, `${shown(sign)} is no sign of an amount.`);
}

/** `1.234,56` where `,` is the decimal sign and `.` stands between groups of three digits, and nothing else. In brackets it is money out. */
export function csvAmount(text: string, { row, profile: { decimal, group }, currency }: AmountSigns): bigint {
  const written = text.trim().replace(MINUS, '-').replace(BRACKETS, '-$1');
  const signs = /^([+-]?)(.*?)(-?)$/.exec(written.replace(/\s+(?=-$)/, ''))!;
  const [, before = '', unsigned = '', behind = ''] = signs;
  const [whole = '', ...decimals] = unsigned.split(decimal);
  const ungrouped = withoutGroups(whole, group);
  // A point is no decimal sign where the comma is.
  if (ungrouped === undefined || /[.,]/.test(ungrouped) || decimals.length > 1 || (before !== '' && behind !== ''))
    throw new StatementInvalid(row, `${shown(text)} is no amount with ${decimal} as its decimal sign.`);
  const amount = minorUnits([ungrouped, ...decimals].join('.'), { currency, separator: '.', row });
  return before === '-' || behind === '-' ? -amount : amount;
}

/** Of typographers. */
const MINUS = /\u2212/;
const BRACKETS = /^\(([^()+-]+)\)$/;

function withoutGroups(whole: string, group: string | null): string | undefined {
  if (group === null || !whole.includes(group)) return whole;
  const [first = '', ...groups] = whole.split(group);
  return /^[1-9]\d{0,2}$/.test(first) && groups.every((one) => /^\d{3}$/.test(one))
    ? first + groups.join('')
    : undefined;
}

function dayIn(text: string, format: DateFormat, row: number): string {
  const day = writtenDay(text, format);
  if (day === undefined) throw new StatementInvalid(row, `${shown(text)} is no day as ${format}.`);
  return dayOrInvalid(day, row);
}

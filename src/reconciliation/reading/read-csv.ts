/**
 * CSV of a bank's portal, by a saved profile that states what its columns are: no two banks agree. A file is one statement, with balances where
 * the profile names a column of them.
 */
import { BadInput } from '../../intake/bad-input.ts';
import { eachRow, type ParsedRow, textOf } from '../../intake/csv.ts';
import { type Block, RowBlocks } from '../../intake/csv-blocks.ts';
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

/** Lines are given as they are read: of a file of any length no more than a part is in memory. */
export class CsvStatementReader implements BankFileReader {
  readonly #profile: CsvProfile;
  readonly #decoder: InstanceType<typeof TextDecoder>;
  readonly #blocks: RowBlocks;
  readonly #summed = new Summed();
  #header: Header | undefined;
  #bytes = 0;
  #toSkip: number;

  constructor(profile: CsvProfile) {
    this.#profile = profile;
    this.#decoder = new TextDecoder(profile.encoding, { fatal: true });
    this.#blocks = new RowBlocks(profile.skip);
    this.#toSkip = profile.skip;
  }

  push(bytes: Buffer): readonly Read[] {
    this.#bytes += bytes.length;
    if (this.#bytes > BYTES_MAX) throw new BadInput(null, `A CSV has at most ${BYTES_MAX} bytes.`);
    return this.#linesIn(this.#blocks.push(this.#table(this.#decoded(bytes))));
  }

  end(): readonly Read[] {
    const whole = this.#linesIn(this.#blocks.push(this.#table(this.#decoded())));
    const { skip } = this.#profile;
    if (this.#toSkip > 0)
      throw new BadInput(null, `The file has no ${skip} lines before its header, as its profile states.`);
    const last = this.#linesIn(this.#blocks.rest());
    if (this.#header === undefined) throw new BadInput(null, 'The file has no header.');
    return [...whole, ...last, { is: 'statement', statement: this.#statement(this.#header.row) }];
  }

  /** Of a part, or of what the last part began. */
  #decoded(bytes?: Buffer): string {
    try {
      return bytes === undefined ? this.#decoder.decode() : this.#decoder.decode(bytes, { stream: true });
    } catch {
      throw new BadInput(null, `The file is not ${this.#profile.encoding}, as its profile states.`);
    }
  }

  /** What stands behind the lines before the header. */
  #table(text: string): Buffer {
    let from = 0;
    for (; this.#toSkip > 0; this.#toSkip--) {
      const end = text.indexOf('\n', from);
      if (end === -1) return Buffer.alloc(0);
      from = end + 1;
    }
    return Buffer.from(text.slice(from));
  }

  #linesIn(block: Block | undefined): Read[] {
    const reads: Read[] = [];
    if (block === undefined) return reads;
    const { linesBefore, bytes } = block;
    const take = (row: ParsedRow) => {
      if (this.#header === undefined) this.#header = headerOf(row, this.#profile.columns);
      else reads.push({ is: 'line', line: this.#lineOf(row, this.#header) });
      return true;
    };
    asBadInput(() => eachRow(textOf(bytes), take, { linesBefore, delimiter: this.#profile.delimiter }));
    return reads;
  }

  #lineOf(read: ParsedRow, header: Header): BankFileLine {
    requireFields(read, header);
    const at = { row: read.row, places: header.places, profile: this.#profile };
    const line = lineOf(read.record, at);
    this.#summed.add(line, balanceOf(read.record, at));
    return line;
  }

  #statement(row: number): BankFileStatement {
    const { account, currency } = this.#profile;
    const { from, to, currencies } = this.#summed;
    const balances = asBadInput(() => this.#summed.ends());
    return {
      kind: 'statement',
      row,
      account,
      currency,
      number: null,
      page: null,
      from,
      to,
      opening: balances?.opening ?? null,
      closing: balances?.closing ?? null,
      otherCurrencies: [...currencies].filter((one) => one !== currency),
      groupStatus: null,
      fault: null,
    };
  }
}

/** The statement is all of the file: where it is invalid, the file is. */
function asBadInput<Result>(read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    throw error instanceof StatementInvalid ? new BadInput(error.row, error.message) : error;
  }
}

/** All of the statement's lines so far: their days and currencies, and where its account stood before and behind them. */
class Summed {
  from: string | null = null;
  to: string | null = null;
  readonly currencies = new Set<string>();
  #first: Balanced | undefined;
  #last: Balanced | undefined;
  #isWithoutBalances = false;
  /** The first row whose balance does not follow from the one above it, and whether one does not follow from the one below it. */
  #brokenDown: number | undefined;
  #isBrokenUp = false;

  /** `balance`: what stands on the account behind the line. Undefined where no column states it. */
  add(line: BankFileLine, balance: bigint | undefined): void {
    const { row, amount, bookedOn, currency } = line;
    if (this.from === null || bookedOn < this.from) this.from = bookedOn;
    if (this.to === null || bookedOn > this.to) this.to = bookedOn;
    this.currencies.add(currency);
    if (balance === undefined) this.#isWithoutBalances = true;
    else this.#follow({ row, amount, bookedOn, balance });
  }

  #follow(one: Balanced): void {
    const above = this.#last;
    if (above !== undefined && above.balance + one.amount !== one.balance) this.#brokenDown ??= one.row;
    if (above !== undefined && one.balance + above.amount !== above.balance) this.#isBrokenUp = true;
    this.#first ??= one;
    this.#last = one;
  }

  /**
   * By a column of balances. Portals list the newest line first or last: the order is the one in which every balance follows from the one before.
   * Throws StatementInvalid where lines are missing between two balances.
   */
  ends(): Ends | undefined {
    if (this.#isWithoutBalances || this.#first === undefined || this.#last === undefined) return undefined;
    if (this.#brokenDown !== undefined && this.#isBrokenUp)
      throw new StatementInvalid(
        this.#brokenDown,
        'Its balance does not follow from the one before it: lines are missing.',
      );
    const [oldest, newest] = this.#brokenDown === undefined ? [this.#first, this.#last] : [this.#last, this.#first];
    return {
      opening: { amount: oldest.balance - oldest.amount, on: oldest.bookedOn },
      closing: { amount: newest.balance, on: newest.bookedOn },
    };
  }
}

interface Balanced extends Pick<BankFileLine, 'row' | 'amount' | 'bookedOn'> {
  readonly balance: bigint;
}

interface Ends {
  readonly opening: StatedBalance;
  readonly closing: StatedBalance;
}

/** The statement of a file that is in memory. Throws BadInput, with the line. */
export function readCsvStatement(bytes: Buffer, profile: CsvProfile): Read[] {
  const reader = new CsvStatementReader(profile);
  return [...reader.push(bytes), ...reader.end()];
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

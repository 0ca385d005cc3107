/**
 * BAI2 (BAI Cash Management Balance Reporting, version 2): files of groups (02), of accounts (03), of transactions (16). Records may share a
 * line, go on in 88, and have a `/` in their text. Amounts are minor units of the currency. Control totals and counts of 49, 98 and 99 are
 * checked: where they are wrong, the file is not whole.
 */
import { BadInput } from '../../intake/bad-input.ts';
import {
  type BankFileLine,
  type BankFileReader,
  type BankFileStatement,
  givenReference,
  type Read,
  StatementInvalid,
  TEXT_MAX,
} from './bank-file.ts';
import { dayOfSixDigits, minorUnits, shown, wholeNumber } from './decimal.ts';
import { FileLines } from './file-lines.ts';

interface Bai2Record {
  readonly code: string;
  readonly row: number;
  text: string;
}

interface Totals {
  sum: bigint;
  /** Of accounts in a group, of groups in a file. */
  parts: number;
  records: number;
}

interface Account {
  readonly row: number;
  readonly account: string;
  readonly currency: string;
  readonly totals: Totals;
  opening: bigint | null;
  closing: bigint | null;
  fault: StatementInvalid | undefined;
}

interface Group {
  readonly totals: Totals;
  /** Of a day that is not over: what is booked so far. */
  readonly isInterim: boolean;
  readonly status: string;
  readonly on: string;
  readonly currency: string;
}

const CODES = '01|02|03|16|49|88|98|99';
const BEGINS = new RegExp(`^\\s*(${CODES}),`);
/** A `/` ends a record only where another one or the end of the line is behind it. */
const ENDS = new RegExp(`/(?=\\s*(?:(?:${CODES}),|$))`);
const RECORD_MAX = 64 * 1024;

export class Bai2Reader implements BankFileReader {
  readonly #lines = new FileLines();
  #record: Bai2Record | undefined;
  #file: Totals | undefined;
  #group: Group | undefined;
  #account: Account | undefined;
  #isEnded = false;
  /** Lines of the file that continue a record count as records of their own where they begin with 88. */
  #continued = 0;

  push(bytes: Buffer): readonly Read[] {
    return this.#lines.push(bytes).flatMap((line) => this.#takeLine(line));
  }

  end(): readonly Read[] {
    const read = [...this.#lines.end().flatMap((line) => this.#takeLine(line)), ...this.#endRecord()];
    if (!this.#isEnded) throw new BadInput(null, 'The file ends without its trailer (99): it is cut off.');
    return read;
  }

  #takeLine({ row, text }: { row: number; text: string }): readonly Read[] {
    const read: Read[] = [];
    for (const piece of text.split(ENDS)) {
      const begins = BEGINS.exec(piece);
      if (begins === null || begins[1] === '88') {
        const more = begins === null ? piece : piece.slice(begins[0].length);
        if (piece.trim() === '') continue;
        if (this.#record === undefined) throw new BadInput(row, `${shown(piece)} is no record of BAI2.`);
        if (begins !== null) this.#continued += 1;
        this.#record.text = joined(this.#record, more, begins !== null);
        if (this.#record.text.length > RECORD_MAX)
          throw new BadInput(row, `A record has more than ${RECORD_MAX} characters.`);
        continue;
      }
      read.push(...this.#endRecord());
      this.#record = { code: begins[1]!, row, text: piece.slice(begins[0].length) };
    }
    return read;
  }

  #endRecord(): readonly Read[] {
    const record = this.#record;
    this.#record = undefined;
    if (record === undefined) return [];
    const records = 1 + this.#continued;
    this.#continued = 0;
    if (this.#isEnded) throw new BadInput(record.row, 'Something stands behind the trailer (99).');
    return this.#take(record, records);
  }

  #take(record: Bai2Record, records: number): readonly Read[] {
    const { code, row } = record;
    const fields = record.text.split(',').map((field) => field.trim());
    switch (code) {
      case '01':
        if (this.#file !== undefined) throw new BadInput(row, 'A second file begins here.');
        this.#file = { sum: 0n, parts: 0, records };
        return [];
      case '02':
        this.#group = { ...groupOf(fields, row), totals: { sum: 0n, parts: 0, records } };
        return [];
      case '03':
        this.#account = this.#accountOf(fields, row, records);
        return [];
      case '16':
        return this.#line(record, records);
      case '49':
        return this.#endAccount(fields, row, records);
      case '98':
        return this.#endGroup(fields, row, records);
      default:
        return this.#endFile(fields, row, records);
    }
  }

  #accountOf(fields: readonly string[], row: number, records: number): Account {
    if (this.#group === undefined) throw new BadInput(row, 'An account (03) stands in no group (02).');
    if (this.#account !== undefined) throw new BadInput(row, 'The account before it has no trailer (49).');
    const [account = '', own = '', ...rest] = fields;
    if (account === '') throw new BadInput(row, 'It names no account.');
    const currency = own || this.#group.currency;
    const totals: Totals = { sum: 0n, parts: 0, records };
    const begun: Account = {
      row,
      account: account.slice(0, 64),
      currency,
      totals,
      opening: null,
      closing: null,
      fault: undefined,
    };
    // Type, amount, count, type of funds and what that asks for.
    for (let index = 0; index + 1 < rest.length; index += 4 + fundsFields(rest, index + 3)) {
      const [type, amount] = [rest[index]!, rest[index + 1]!];
      if (type !== '' && amount !== '') this.#summary(begun, type, amount);
    }
    return begun;
  }

  #summary(account: Account, type: string, amount: string): void {
    const value = signedDigits(amount, account.row);
    account.totals.sum += value;
    try {
      if (type === '010') account.opening = signedMinor(value, account);
      if (type === '015') account.closing = signedMinor(value, account);
    } catch (error) {
      if (!(error instanceof StatementInvalid)) throw error;
      account.fault ??= error;
    }
  }

  #line({ row, text }: Bai2Record, records: number): readonly Read[] {
    const account = this.#account;
    if (account === undefined || this.#group === undefined)
      throw new BadInput(row, 'A transaction (16) stands in no account (03).');
    account.totals.records += records;
    const fields = text.split(',');
    const [type = '', amount = ''] = fields.map((field) => field.trim());
    const value = signedDigits(amount === '' ? '0' : amount, row);
    account.totals.sum += value;
    try {
      const line = lineOf({ type: type.trim(), value, fields, row }, account, this.#group.on);
      return line === undefined || account.fault !== undefined ? [] : [{ is: 'line', line }];
    } catch (error) {
      if (!(error instanceof StatementInvalid)) throw error;
      account.fault ??= error;
      return [];
    }
  }

  #endAccount(fields: readonly string[], row: number, records: number): readonly Read[] {
    const [account, group] = [this.#account, this.#group];
    if (account === undefined || group === undefined) throw new BadInput(row, 'A trailer (49) ends no account.');
    this.#account = undefined;
    account.totals.records += records;
    checkTrailer({ row, of: 'account (49)', totals: account.totals }, fields[0], undefined, fields[1]);
    addTo(group.totals, account.totals);
    return [{ is: 'statement', statement: statementOf(account, group) }];
  }

  #endGroup([sum, parts, count]: readonly string[], row: number, records: number): readonly Read[] {
    const [group, file] = [this.#group, this.#file];
    if (group === undefined || file === undefined) throw new BadInput(row, 'A trailer (98) ends no group.');
    if (this.#account !== undefined) throw new BadInput(row, 'The account before it has no trailer (49).');
    this.#group = undefined;
    group.totals.records += records;
    checkTrailer({ row, of: 'group (98)', totals: group.totals }, sum, parts, count);
    addTo(file, group.totals);
    return [];
  }

  #endFile([sum, parts, count]: readonly string[], row: number, records: number): readonly Read[] {
    const file = this.#file;
    if (file === undefined) throw new BadInput(row, 'A trailer (99) ends no file.');
    if (this.#group !== undefined) throw new BadInput(row, 'The group before it has no trailer (98).');
    file.records += records;
    checkTrailer({ row, of: 'file (99)', totals: file }, sum, parts, count);
    this.#isEnded = true;
    return [];
  }
}

/** An 88 inside a list of fields goes on with the next field; in a text it goes on with the text. */
function joined({ code, text }: Bai2Record, more: string, isRecord: boolean): string {
  if (!isRecord) return `${text} ${more.trim()}`;
  if (code !== '16' || !hasText(text)) return `${text},${more}`;
  return text.endsWith(',') ? `${text}${more}` : `${text} ${more.trim()}`;
}

/** Whether the fields before the text of a transaction are there: type, amount, funds, and two references. */
function hasText(text: string): boolean {
  const fields = text.split(',');
  return fields.length > 3 + fundsFields(fields, 2) + 2;
}

function addTo(whole: Totals, part: Totals): void {
  whole.sum += part.sum;
  whole.parts += 1;
  whole.records += part.records;
}

interface Counted {
  readonly row: number;
  readonly of: string;
  readonly totals: Totals;
}

function checkTrailer({ row, of, totals }: Counted, sum = '', parts: string | undefined, records = ''): void {
  const [stated, statedRecords] = [signedDigits(sum, row), wholeNumber(records)];
  if (stated !== totals.sum)
    throw new BadInput(row, `The trailer of the ${of} states ${stated}, and its amounts come to ${totals.sum}.`);
  if (parts !== undefined && wholeNumber(parts) !== totals.parts)
    throw new BadInput(row, `The trailer of the ${of} states ${shown(parts)} parts, and there are ${totals.parts}.`);
  if (statedRecords !== totals.records)
    throw new BadInput(
      row,
      `The trailer of the ${of} states ${shown(records)} records, and there are ${totals.records}.`,
    );
}

function signedDigits(text: string, row: number): bigint {
  const parts = /^([+-]?)(\d{1,18})$/.exec(text.trim());
  if (parts === null) throw new BadInput(row, `${shown(text)} is no amount.`);
  return parts[1] === '-' ? -BigInt(parts[2]!) : BigInt(parts[2]!);
}

/** Throws StatementInvalid for what is no currency of today. */
function signedMinor(value: bigint, { currency, row }: { currency: string; row: number }): bigint {
  minorUnits('0', { currency, separator: '.', row });
  return value;
}

/** How many fields behind the type of funds state when they are available: none, three amounts, a day and a time, or a list of days. */
function fundsFields(fields: readonly string[], at: number): number {
  switch (fields[at]?.trim()) {
    case 'S':
      return 3;
    case 'V':
      return 2;
    case 'D': {
      const days = fields[at + 1]?.trim() ?? '';
      return 1 + 2 * Number(/^\d{1,2}$/.test(days) ? days : 0);
    }
    default:
      return 0;
  }
}

const STATUSES: Readonly<Record<string, BankFileStatement['groupStatus']>> = {
  '1': null,
  '2': 'deletion',
  '3': 'correction',
  '4': 'test',
};

/** Interim of the same day; the others are of a day that is over. */
const INTERIM = '3';

function groupOf([, , status = '', day = '', , currency = '', of = '']: readonly string[], row: number) {
  if (!(status in STATUSES)) throw new BadInput(row, `${shown(status)} is no status of a group.`);
  try {
    return {
      status,
      on: dayOfSixDigits(day, row),
      currency: currency || 'USD',
      isInterim: of.replace('/', '') === INTERIM,
    };
  } catch (error) {
    throw error instanceof StatementInvalid ? new BadInput(row, error.message) : error;
  }
}

interface Transaction {
  readonly type: string;
  readonly value: bigint;
  readonly fields: readonly string[];
  readonly row: number;
}

/** Undefined for what moves nothing (type 890). Credits are 100 to 399, debits 400 to 699; of the types that a bank makes itself, 920 to 959 and 960 to 999. */
function lineOf({ type, value, fields, row }: Transaction, account: Account, on: string): BankFileLine | undefined {
  if (type === '890' || value === 0n) return undefined;
  const isCredit = /^([123]\d|9[2-5])\d$/.test(type);
  if (!isCredit && !/^([456]\d|9[6-9])\d$/.test(type))
    throw new StatementInvalid(row, `The type ${shown(type)} is neither a credit nor a debit.`);
  const after = 3 + fundsFields(fields, 2);
  const [bank = '', customer = '', ...text] = fields.slice(after);
  const valueDay = fields[2]?.trim() === 'V' ? fields[3]?.trim() : undefined;
  const amount = signedMinor(value, { currency: account.currency, row });
  return {
    row,
    standing: 'booked',
    bookedOn: on,
    valueOn: valueDay ? dayOfSixDigits(valueDay, row) : null,
    amount: isCredit ? amount : -amount,
    currency: account.currency,
    isReversal: false,
    bankReference: givenReference(bank),
    endToEndId: null,
    references: [givenReference(customer)].filter((one) => one !== null),
    batch: null,
    counterpartyName: null,
    counterpartyAccount: null,
    text:
      text
        .join(',')
        .replace(/\/\s*$/, '')
        .replace(/\s+/g, ' ')
        .trim()
        .slice(0, TEXT_MAX) || null,
    code: type,
    charges: [],
    original: null,
    details: [],
  };
}

function statementOf(
  { row, account, currency, opening, closing, fault }: Account,
  { status, on, isInterim }: Group,
): BankFileStatement {
  const balance = (amount: bigint | null) => (amount === null ? null : { amount, on });
  const isWhole = opening !== null && closing !== null;
  return {
    kind: isInterim ? 'report' : 'statement',
    row,
    account,
    currency: fault ? null : currency,
    number: null,
    page: null,
    from: on,
    to: on,
    opening: isWhole ? balance(opening) : null,
    closing: isWhole ? balance(closing) : null,
    otherCurrencies: [],
    groupStatus: STATUSES[status]!,
    fault: fault ? { row: fault.row, detail: fault.message } : null,
  };
}

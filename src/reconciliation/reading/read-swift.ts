/**
 * MT940 (statements) and MT942 (reports of the day), as banks write them: with or without SWIFT's blocks, `:28:` or `:28C:`, with no last
 * `-`, and with references that are too long. A field is its first line and those that follow without a tag.
 */
import { isValidIBAN } from 'ibantools';
import { BadInput } from '../../intake/bad-input.ts';
import { isCurrency } from '../../money/currency.ts';
import {
  type BankFileLine,
  type BankFileReader,
  type BankFileStatement,
  givenReference,
  type Page,
  type Read,
  type StatedBalance,
  StatementInvalid,
} from './bank-file.ts';
import { dayOfSixDigits, minorUnits, nearestDay, shown } from './decimal.ts';
import { FileLines } from './file-lines.ts';
import { readDetails } from './swift-details.ts';

interface Field {
  readonly tag: string;
  readonly row: number;
  readonly lines: string[];
}

/** A message as far as it is read. */
interface Message {
  readonly row: number;
  account: string | undefined;
  number: string | null;
  page: number | null;
  opening: (Balance & { readonly isFirst: boolean }) | undefined;
  closing: (Balance & { readonly isLast: boolean }) | undefined;
  isReport: boolean;
  currency: string | null;
  fault: StatementInvalid | undefined;
  /** Kept until its `:86:` is here. */
  line: { readonly fields: LineFields; details: string[] } | undefined;
}

interface Balance extends StatedBalance {
  readonly currency: string;
}

interface LineFields {
  readonly row: number;
  readonly text: string;
  readonly supplement: string;
}

const TAG = /^:(\d{2}[A-Z]?):(.*)$/;
const FIELD_LINES_MAX = 200;

export class SwiftReader implements BankFileReader {
  readonly #lines = new FileLines();
  #field: Field | undefined;
  #message: Message | undefined;
  #statements = 0;

  push(bytes: Buffer): readonly Read[] {
    return this.#lines.push(bytes).flatMap((line) => this.#takeLine(line));
  }

  end(): readonly Read[] {
    const read = this.#lines.end().flatMap((line) => this.#takeLine(line));
    const last = [...read, ...this.#endField(), ...this.#endMessage()];
    if (this.#statements === 0) throw new BadInput(null, 'It has no statement of an account.');
    return last;
  }

  #takeLine({ row, text }: { row: number; text: string }): readonly Read[] {
    const tagged = TAG.exec(text);
    if (tagged) {
      const read = this.#endField();
      this.#field = { tag: tagged[1]!, row, lines: [tagged[2]!] };
      return read;
    }
    // The end of a message, or a block of SWIFT around it.
    if (/^-\}?/.test(text) && /^-(\}.*)?\s*$/.test(text)) return [...this.#endField(), ...this.#endMessage()];
    if (text.startsWith('{')) return this.#endField();
    const field = this.#field;
    if (field === undefined) return [];
    if (field.lines.length === FIELD_LINES_MAX)
      throw new BadInput(row, `A field has more than ${FIELD_LINES_MAX} lines.`);
    field.lines.push(text);
    return [];
  }

  #endField(): readonly Read[] {
    const field = this.#field;
    this.#field = undefined;
    if (field === undefined) return [];
    try {
      return this.#takeField(field);
    } catch (error) {
      if (!(error instanceof StatementInvalid) || this.#message === undefined) throw error;
      this.#message.fault ??= error;
      return [];
    }
  }

  #takeField({ tag, row, lines }: Field): readonly Read[] {
    const [text = '', ...more] = lines;
    if (tag === '20') {
      const before = this.#endMessage();
      this.#message = newMessage(row);
      return before;
    }
    const message = this.#message;
    // A block of SWIFT, or what a bank writes before its first message.
    if (message === undefined) return [];
    const line = tag === '86' ? [] : this.#endLine(message);
    switch (tag) {
      case '25':
      case '25P':
        message.account = accountOf(text);
        break;
      case '28':
      case '28C':
        [message.number, message.page] = numberOf(text);
        break;
      case '34F':
      case '13D':
        message.isReport = true;
        message.currency ??= tag === '34F' ? text.slice(0, 3) : null;
        break;
      case '60F':
      case '60M':
        message.opening = { ...balanceOf(text, row), isFirst: tag === '60F' };
        message.currency = message.opening.currency;
        break;
      case '61':
        message.line = { fields: { row, text, supplement: more.join('') }, details: [] };
        break;
      case '62F':
      case '62M':
        message.closing = { ...balanceOf(text, row), isLast: tag === '62F' };
        break;
      case '86':
        // Behind the closing balance it is of the whole statement, and of no line.
        if (message.line !== undefined) message.line.details = lines;
        return this.#endLine(message);
    }
    return line;
  }

  #endLine(message: Message): readonly Read[] {
    const { line } = message;
    message.line = undefined;
    if (line === undefined || message.fault !== undefined) return [];
    return [{ is: 'line', line: lineOf(line.fields, line.details, message) }];
  }

  #endMessage(): readonly Read[] {
    const message = this.#message;
    this.#message = undefined;
    if (message === undefined) return [];
    const read: Read[] = [];
    try {
      read.push(...this.#endLine(message));
    } catch (error) {
      if (!(error instanceof StatementInvalid)) throw error;
      message.fault ??= error;
    }
    if (message.opening === undefined && message.account === undefined) return read;
    this.#statements += 1;
    return [...read, { is: 'statement', statement: statementOf(message) }];
  }
}

function newMessage(row: number): Message {
  const nothing = { account: undefined, number: null, page: null, opening: undefined, closing: undefined };
  return { row, ...nothing, isReport: false, currency: null, fault: undefined, line: undefined };
}

/** Throws BadInput for a message that ends before its closing balance: the file is cut off. */
function statementOf({
  row,
  account,
  number,
  page,
  opening,
  closing,
  isReport,
  currency,
  fault,
}: Message): BankFileStatement {
  if (account === undefined) throw new BadInput(row, 'A statement names no account (:25:).');
  if (fault === undefined && opening !== undefined && closing === undefined)
    throw new BadInput(row, 'The statement that begins here has no closing balance (:62F:): the file is cut off.');
  if (fault === undefined && opening === undefined && !isReport)
    throw new BadInput(row, 'The statement that begins here has no opening balance (:60F:).');
  const others = [opening?.currency, closing?.currency].filter((one) => one !== undefined && one !== currency);
  const kind = isReport ? 'report' : 'statement';
  const base = { kind, row, account, number, groupStatus: null } as const;
  if (fault !== undefined) {
    const nothing = { currency: null, page: null, from: null, to: null, opening: null, closing: null };
    return { ...base, ...nothing, otherCurrencies: [], fault: { row: fault.row, detail: fault.message } };
  }
  return {
    ...base,
    currency,
    page: pageOf(page, opening, closing),
    from: opening?.on ?? null,
    to: closing?.on ?? null,
    opening: opening ? { amount: opening.amount, on: opening.on } : null,
    closing: closing && others.length === 0 ? { amount: closing.amount, on: closing.on } : null,
    otherCurrencies: others as string[],
    fault: null,
  };
}

/** `60M` and `62M` state that pages stand before and behind; the number alone does not: many banks write `/1` on everything. */
function pageOf(number: number | null, opening: Message['opening'], closing: Message['closing']): Page | null {
  const isFirst = opening?.isFirst ?? true;
  const isLast = closing?.isLast ?? true;
  return isFirst && isLast ? null : { number: number ?? 1, isFirst, isLast };
}

/** An IBAN behind which Dutch banks write the currency of the account, or a name of the bank's own. `25P` has its BIC on a line of its own. */
function accountOf(text: string): string {
  const account = text.trim().slice(0, 64);
  const iban = /^([A-Z]{2}\d{2}[A-Z0-9]{11,30}?)(\s*)([A-Z]{3})$/.exec(account);
  if (iban === null || !isCurrency(iban[3]!)) return account;
  return iban[2] !== '' || isValidIBAN(iban[1]!) ? iban[1]! : account;
}

/** `5/2`, `00004/00001`, `1`. */
function numberOf(text: string): [number: string | null, page: number | null] {
  const [number = '', page] = text.trim().split('/');
  const counted = /^\d{1,9}$/.test(page ?? '') ? Number(page) : 0;
  return [number.replace(/^0+(?=.)/, '').slice(0, 64) || null, counted > 0 ? counted : null];
}

const BALANCE = /^([CD])(\d{6})([A-Z]{3})([\d,]+)\s*$/;

function balanceOf(text: string, row: number): Balance {
  const parts = BALANCE.exec(text);
  if (parts === null) throw new StatementInvalid(row, `${shown(text)} is no balance.`);
  const [, mark, day, currency, decimal] = parts as unknown as [string, string, string, string, string];
  const amount = minorUnits(decimal, { currency, separator: ',', row });
  return { amount: mark === 'C' ? amount : -amount, on: dayOfSixDigits(day, row), currency };
}

/**
 * `RC` and `RD` are reversals: of a credit, so money out; of a debit, so money in. `EC` and `ED` are expected (MT942). The letter behind the mark is a
 * code of the currency: `CR` and `CD` are credits. What stands behind the amount begins with a type, so a decimal point is no amount.
 */
const LINE = /^(\d{6})(\d{4})?(RC|RD|EC|ED|C|D)([A-Z])?(\d[\d,]*)(?:([NFS][A-Z0-9]{3})(.*))?$/;
const MONEY_IN: readonly string[] = ['C', 'RD', 'EC'];
const EXPECTED: readonly string[] = ['EC', 'ED'];
/** States that the details have the reference. */
const REFERENCE_ELSEWHERE = /^[A-Z]{4}\+$/;

function lineOf({ row, text, supplement }: LineFields, details: readonly string[], message: Message): BankFileLine {
  const parts = LINE.exec(text);
  if (parts === null) throw new StatementInvalid(row, `${shown(text)} is no line of a statement.`);
  const [, value = '', entry, mark = '', , decimal = '', type, rest = ''] = parts;
  const { currency } = message;
  if (currency === null) throw new StatementInvalid(row, 'Nothing states the currency of the line.');
  const valueOn = dayOfSixDigits(value, row);
  const amount = minorUnits(decimal, { currency, separator: ',', row });
  const [own = '', bank = ''] = splitOnce(rest, '//');
  const stated = readDetails(details);
  const text_ = [stated.text, supplement.trim()].filter(Boolean).join(' ');
  return {
    row,
    standing: EXPECTED.includes(mark) ? 'pending' : 'booked',
    bookedOn: entry === undefined ? valueOn : nearestDay(entry, valueOn, row),
    valueOn,
    amount: MONEY_IN.includes(mark) ? amount : -amount,
    currency,
    // The mark has the direction in it already, whatever a bank account states of other formats.
    isReversal: false,
    bankReference: givenReference(bank),
    endToEndId: stated.endToEndId,
    references: [givenReference(own.replace(REFERENCE_ELSEWHERE, '')), ...stated.references].filter(
      (one) => one !== null,
    ),
    batch: null,
    counterpartyName: stated.name,
    counterpartyAccount: stated.account,
    text: text_ === '' ? null : text_,
    code: type?.slice(1) ?? stated.code,
    charges: [],
    original: null,
    details: [],
  };
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + separator.length)];
}

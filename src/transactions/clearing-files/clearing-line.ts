/**
 * A line of a processor's clearing file, read from a row of CSV (docs/clearing-files.md). Each line is checked by
 * itself here; check-file.ts checks that the file is whole. Pure.
 * Next: message-of-line.ts (its message), clearing-file-store.ts (its row).
 */
import { ONE_LINE, type TextRule, WORD } from '../../acquirers/party-texts.ts';
import { DEBIT_KINDS, type DebitKind } from '../../cards/purchase/purchase-facts.ts';
import { BadInput } from '../../intake/bad-input.ts';
import type { CsvRow } from '../../intake/csv.ts';
import { MAX_REQUEST_AMOUNT } from '../../money/amount.ts';
import { isCurrency } from '../../money/currency.ts';
import { hasCardNumber } from '../../values/card-number.ts';
import type { MerchantAmount } from '../message/message.ts';

export const CLEARING_COLUMNS = [
  ...(['message_reference', 'network_reference', 'program', 'card', 'type', 'kind', 'amount', 'currency'] as const),
  ...(['merchant_amount', 'merchant_currency', 'sequence', 'final', 'mcc', 'merchant_id', 'merchant_name'] as const),
  ...(['merchant_country', 'interchange', 'business_date', 'reverses'] as const),
] as const;

export type ClearingColumn = (typeof CLEARING_COLUMNS)[number];
export type ClearingRow = CsvRow<ClearingColumn>;

const CLEARING_TYPES = ['clearing', 'clearing_reversal', 'refund', 'refund_reversal'] as const;
export type ClearingType = (typeof CLEARING_TYPES)[number];

/** Amounts are minor units, and more than zero: the type decides the direction. */
export interface ClearingLine {
  readonly messageReference: string;
  readonly networkReference: string;
  /** Whose card it is: a book. */
  readonly program: string;
  /** Our id or the processor's reference. Null where the line leaves it to the purchase. */
  readonly card: string | null;
  readonly type: ClearingType;
  readonly kind: DebitKind | null;
  readonly amount: bigint;
  readonly currency: string;
  readonly merchantAmount: MerchantAmount | null;
  readonly sequence: { readonly number: number; readonly count: number } | null;
  readonly isFinal: boolean | null;
  readonly mcc: string;
  readonly merchantId: string;
  readonly merchantName: string;
  readonly merchantCountry: string;
  readonly interchange: bigint | null;
  readonly businessDate: string | null;
  /** The reference of the message that a reversal takes back. */
  readonly reverses: string | null;
}

/** What a line of a type does to what is owed to the scheme. */
export const SIGN: Readonly<Record<ClearingType, 1n | -1n>> = {
  clearing: 1n,
  clearing_reversal: -1n,
  refund: -1n,
  refund_reversal: 1n,
};

/** As long as the API takes them. */
const REFERENCE_MAX = 64;
const NAME_MAX = 100;
const PIECES_MAX = 99;
const INTERCHANGE_MAX = 1_000_000_000_000n;

/** Throws BadInput, with the line of the file. */
export function clearingLineOf({ row, fields }: ClearingRow): ClearingLine {
  const read = new Fields(row, fields);
  const type = read.among('type', CLEARING_TYPES);
  const isClearing = type === 'clearing';
  const isReversal = type === 'clearing_reversal' || type === 'refund_reversal';
  const only = (columns: readonly ClearingColumn[], isRight: boolean, what: string) => {
    const wrong = isRight ? undefined : columns.find((column) => fields[column] !== '');
    if (wrong !== undefined) throw new BadInput(row, `A ${type} has no ${wrong}: ${what} has.`);
  };
  only(['kind', 'sequence', 'final'], isClearing, 'a clearing');
  only(['reverses'], isReversal, 'a reversal');
  return {
    messageReference: read.text('message_reference', { max: REFERENCE_MAX, rule: WORD }),
    networkReference: read.text('network_reference', { max: REFERENCE_MAX, rule: WORD }),
    program: read.text('program', { max: REFERENCE_MAX, rule: WORD }),
    card: read.unless('card', () => read.card()),
    type,
    kind: read.unless('kind', () => read.among('kind', DEBIT_KINDS)),
    amount: read.amount('amount', 1n),
    currency: read.currency('currency'),
    merchantAmount: read.merchantAmount(),
    sequence: read.unless('sequence', () => read.sequence()),
    isFinal: read.unless('final', () => read.among('final', ['true', 'false']) === 'true'),
    mcc: read.matching('mcc', /^\d{4}$/, 'four digits'),
    merchantId: read.text('merchant_id', { max: REFERENCE_MAX, rule: ONE_LINE }),
    merchantName: read.text('merchant_name', { max: NAME_MAX, rule: ONE_LINE }),
    merchantCountry: read.matching('merchant_country', /^[A-Z]{2}$/, 'two capital letters'),
    interchange: read.unless('interchange', () => read.interchange()),
    businessDate: read.unless('business_date', () => read.day('business_date')),
    reverses: isReversal ? read.text('reverses', { max: REFERENCE_MAX, rule: WORD }) : null,
  };
}

/** The fields of a row, each read as what its column holds. All throw BadInput. */
class Fields {
  readonly #row: number;
  readonly #fields: ClearingRow['fields'];

  constructor(row: number, fields: ClearingRow['fields']) {
    this.#row = row;
    this.#fields = fields;
  }

  /** Null where the field is empty. */
  unless<Value>(column: ClearingColumn, read: () => Value): Value | null {
    return this.#fields[column] === '' ? null : read();
  }

  text(column: ClearingColumn, { max, rule }: { max: number; rule: TextRule }): string {
    const value = this.#fields[column];
    if (value === '') throw new BadInput(this.#row, `It has no ${column}.`);
    if (value.length > max) throw new BadInput(this.#row, `The ${column} has more than ${max} characters.`);
    const fault = rule.fault(value);
    if (fault !== undefined) throw new BadInput(this.#row, `The ${column}: ${fault}`);
    return value;
  }

  /** A card that is called by its number is not looked up, and the number is not repeated. */
  card(): string {
    const card = this.text('card', { max: REFERENCE_MAX, rule: WORD });
    if (hasCardNumber(card))
      throw new BadInput(
        this.#row,
        'The card is a card number, and should be the id or the card_reference of the card.',
      );
    return card;
  }

  among<Word extends string>(column: ClearingColumn, words: readonly Word[]): Word {
    const word = words.find((known) => known === this.#fields[column]);
    return word ?? this.#refuse(column, `one of ${words.join(', ')}`);
  }

  matching(column: ClearingColumn, pattern: RegExp, what: string): string {
    const value = this.#fields[column];
    return pattern.test(value) ? value : this.#refuse(column, what);
  }

  amount(column: ClearingColumn, least: bigint): bigint {
    const amount = BigInt(this.matching(column, /^\d{1,16}$/, 'a whole number of minor units'));
    if (amount < least || amount > MAX_REQUEST_AMOUNT)
      throw new BadInput(
        this.#row,
        `The ${column} is ${amount}, and should be from ${least} to ${MAX_REQUEST_AMOUNT}.`,
      );
    return amount;
  }

  currency(column: ClearingColumn): string {
    const value = this.#fields[column];
    return isCurrency(value) ? value : this.#refuse(column, 'a currency');
  }

  merchantAmount(): MerchantAmount | null {
    const { merchant_amount: amount, merchant_currency: currency } = this.#fields;
    if (amount === '' && currency === '') return null;
    if (amount === '' || currency === '')
      throw new BadInput(this.#row, 'The merchant_amount and the merchant_currency stand together.');
    return { amount: this.amount('merchant_amount', 0n), currency: this.currency('merchant_currency') };
  }

  sequence(): { number: number; count: number } {
    const text = this.matching(
      'sequence',
      /^[1-9]\d?\/[1-9]\d?$/,
      `a piece and how many there are, at most ${PIECES_MAX}, such as 2/3`,
    );
    const [number, count] = text.split('/').map(Number) as [number, number];
    if (number > count) throw new BadInput(this.#row, `The sequence is ${text}: there are only ${count} pieces.`);
    return { number, count };
  }

  interchange(): bigint {
    const amount = BigInt(this.matching('interchange', /^-?\d{1,13}$/, 'a whole number of minor units'));
    if (amount < -INTERCHANGE_MAX || amount > INTERCHANGE_MAX)
      throw new BadInput(
        this.#row,
        `The interchange is ${amount}, and should be at most ${INTERCHANGE_MAX} either way.`,
      );
    return amount;
  }

  day(column: ClearingColumn): string {
    const text = this.matching(column, /^\d{4}-\d{2}-\d{2}$/, 'a day such as 2026-03-31');
    const time = Date.parse(`${text}T00:00:00Z`);
    const isDay = !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
    return isDay ? text : this.#refuse(column, 'a day that there is');
  }

  #refuse(column: ClearingColumn, what: string): never {
    throw new BadInput(this.#row, `The ${column} is ${shortened(this.#fields[column])}, and should be ${what}.`);
  }
}

const SHOWN_MAX = 40;

/** Of a field that is wrong: control characters are not sent to a terminal. */
export function shortened(text: string): string {
  const shown = text.replace(/\p{Cc}/gu, '�');
  return shown.length > SHOWN_MAX ? `${shown.slice(0, SHOWN_MAX)}…` : shown || 'empty';
}

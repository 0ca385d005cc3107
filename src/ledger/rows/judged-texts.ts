/**
 * What becomes of a card number in a text that a command writes. A column declares it (`cardNumber`, db/declared-columns.ts). The
 * doors of the product refuse card numbers, with the place in the request; this is behind them. Only texts that the command brings
 * are looked at: a row that is moved on keeps what it has, and what a command copies from a stored row is stored already.
 */

import type { Column } from '../../db/declared-columns.ts';
import { hasCardNumber, maskCardNumbers, urlHasCardNumber } from '../../values/card-number.ts';
import { JsonText } from '../../values/json.ts';

/**
 * The text columns of a table or log by how a card number in them is treated. Exempt and copied ones are in neither
 * list.
 */
export interface JudgedTexts<Row> {
  readonly refused: readonly Column<Row>[];
  readonly masked: readonly Column<Row>[];
}

/** A door was forgotten: a bug, which names no digit. Nothing of the command is written. */
export class CardNumberWritten extends Error {
  override name = 'CardNumberWritten';
  constructor(place: string) {
    super(`A card number was about to be written to ${place}: nothing refused it where it came in`);
  }
}

/** `json text` is written by the product, from rows that were judged. */
const TEXT_TYPES: readonly string[] = ['text', 'jsonb', 'text list'];

export function isTextColumn({ type, sealed }: Pick<Column<never>, 'type' | 'sealed'>): boolean {
  return !sealed && TEXT_TYPES.includes(type);
}

/** Throws RangeError for a masked column that does not hold a property of its noun as it is, and could not be written back. */
export function judgedTexts<Row>(table: string, columns: readonly Column<Row>[]): JudgedTexts<Row> {
  const texts = columns.filter(isTextColumn);
  const masked = texts.filter(({ cardNumber }) => cardNumber === 'masked');
  for (const { name, property, codec } of masked)
    if (property === undefined || codec)
      throw new RangeError(`${table}.${name} is masked, and no property of its noun`);
  return { refused: texts.filter(({ cardNumber }) => cardNumber === undefined), masked };
}

interface Judged<Row> {
  readonly name: string;
  readonly texts?: JudgedTexts<Row>;
}

/** What a row had before, and what else the command knew of: a text in a stored row is nothing new. */
interface Stored<Row> {
  readonly before?: Row | undefined;
  holds(text: string): boolean;
}
const NOTHING_STORED: Stored<never> = { holds: () => false };

/** Throws CardNumberWritten for a text with a card number in a column that refuses it, unless it was stored before. */
export function refuseCardNumbers<Row>(
  { name, texts }: Judged<Row>,
  row: Row,
  { before, holds }: Stored<Row> = NOTHING_STORED,
): void {
  if (texts === undefined) return;
  const { refused } = texts;
  for (let index = 0; index < refused.length; index++) {
    const column = refused[index]!;
    const value = column.read(row);
    if (isShort(value)) continue;
    if (before !== undefined && value === column.read(before)) continue;
    if (column.url && typeof value === 'string' && !urlHasCardNumber(value)) continue;
    if (holdsCardNumber(value, holds)) throw new CardNumberWritten(`${name}.${column.name}`);
  }
}

/**
 * The row with the card numbers in its masked columns taken out, unless it had them before. The row itself without any.
 */
export function withMasked<Row>({ texts }: Judged<Row>, row: Row, before: () => Row | undefined): Row {
  if (texts === undefined || texts.masked.length === 0) return row;
  let kept = row;
  for (const column of texts.masked) {
    const value = column.read(row);
    if (isShort(value)) continue;
    if (!holdsCardNumber(value)) continue;
    const known = before();
    if (known !== undefined && isSame(value, column.read(known))) continue;
    kept = { ...kept, [column.property!]: maskedIn(value, column.references) };
  }
  return kept;
}

/** Most values: no text, or one that no card number fits in. */
function isShort(value: unknown): boolean {
  return value === null || value === undefined || (typeof value === 'string' && value.length < 14);
}

function isSame(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

/** Numbers are amounts and counts. Texts that are known already are passed over. */
function holdsCardNumber(value: unknown, isKnown: (text: string) => boolean = NOTHING_STORED.holds): boolean {
  if (typeof value === 'string') return hasCardNumber(value) && !isKnown(value);
  if (typeof value !== 'object' || value === null) return false;
  if (value instanceof JsonText) return hasCardNumber(value.text) && !isKnown(value.text);
  for (const name in value)
    if ((hasCardNumber(name) && !isKnown(name)) || holdsCardNumber((value as Record<string, unknown>)[name], isKnown))
      return true;
  return false;
}

/** Whether the text is a value or a name anywhere in a stored row. */
export function holdsText(value: unknown, text: string): boolean {
  if (typeof value === 'string') return value === text;
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return false;
  if (value instanceof JsonText) return value.text === text;
  for (const name in value) if (name === text || holdsText((value as Record<string, unknown>)[name], text)) return true;
  return false;
}

/** What is JSON text already was judged where it came in. Names are masked as well; values that are references are not. */
function maskedIn(value: unknown, references: readonly string[] = []): unknown {
  if (typeof value === 'string') return maskCardNumbers(value);
  if (typeof value !== 'object' || value === null || value instanceof JsonText) return value;
  if (Array.isArray(value)) return value.map((element) => maskedIn(element, references));
  const members = Object.entries(value).map(([name, member]) => [
    maskCardNumbers(name),
    references.includes(name) ? member : maskedIn(member, references),
  ]);
  return Object.fromEntries(members);
}

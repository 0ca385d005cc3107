/**
 * The details of a line of an MT940 (`:86:`). German banks write subfields (`?20` to `?29`, then `?60` to `?63` are one text, `?32` and `?33` the
 * name) and tags within the text (`EREF+`), Dutch ones codes between slashes (`/EREF/…/REMI/…`); a line or subfield that is full breaks a text
 * anywhere, so pieces join without a gap.
 */
import { givenReference, TEXT_MAX } from './bank-file.ts';

export interface SwiftDetails {
  readonly code: string | null;
  readonly text: string | null;
  readonly endToEndId: string | null;
  readonly references: readonly string[];
  readonly name: string | null;
  readonly account: string | null;
}

const STRUCTURED = /^\s*(\d{3})\?/;
const SUBFIELD = /\?(\d{2})/g;
const TAGS = /(EREF|KREF|MREF|CRED|DEBT|SVWZ|ABWA|ABWE|PURP|IBAN|BIC|COAM|OAMT|BREF|RREF|RCODE)\+/g;
const REFERENCE_TAGS = ['KREF', 'MREF', 'BREF', 'RREF'];
const NAME_MAX = 200;
const ACCOUNT_MAX = 64;

export function readDetails(lines: readonly string[]): SwiftDetails {
  const joined = lines.join('');
  if (CODED.test(joined)) return codedDetails(joined);
  const structured = STRUCTURED.exec(joined);
  if (structured === null) {
    const text = lines
      .map((line) => line.trim())
      .filter(Boolean)
      .join(' ');
    return {
      ...referencesOf(tagsOf(joined)),
      code: null,
      text: text.slice(0, TEXT_MAX) || null,
      name: null,
      account: null,
    };
  }
  const fields = subfieldsOf(joined.slice(structured[0].length - 1));
  const text = fields
    .filter(({ number }) => (number >= 20 && number <= 29) || (number >= 60 && number <= 63))
    .map((field) => field.text)
    .join('');
  const textOf = (...numbers: readonly number[]) =>
    fields
      .filter(({ number }) => numbers.includes(number))
      .map((field) => field.text)
      .join('');
  return {
    ...referencesOf(tagsOf(text)),
    code: structured[1]!,
    text: (text || textOf(0)).slice(0, TEXT_MAX) || null,
    name: textOf(32, 33).slice(0, NAME_MAX) || null,
    account: (textOf(38) || textOf(31)).slice(0, ACCOUNT_MAX) || null,
  };
}

/** Codes of SWIFT's and of Dutch banks. What stands between them may have slashes of its own. */
const CODES =
  'TRTP|IBAN|BIC|NAME|REMI|EREF|MARF|CSID|CNTP|ORDP|BENM|ISDT|RTRN|PURP|ULTC|ULTD|ADDR|PREF|CREF|IREF|OCMT|CHGS|SVCL|TRCD|ID|INIT';
const CODED = new RegExp(`^\\s*/(?:${CODES})/`);
const CODE = new RegExp(`/(${CODES})/`, 'g');

function codedDetails(joined: string): SwiftDetails {
  const marks = [...joined.matchAll(CODE)];
  const values = new Map<string, string>();
  for (const [index, mark] of marks.entries()) {
    // A code ends with the slash before the next one.
    const value = joined
      .slice(mark.index + mark[0].length, marks[index + 1]?.index)
      .replace(/\/+\s*$/, '')
      .trim();
    if (!values.has(mark[1]!) && value !== '') values.set(mark[1]!, value);
  }
  // `/CNTP/account/bic/name/city`.
  const [account, , name] = (values.get('CNTP') ?? '').split('/');
  return {
    endToEndId: givenReference(values.get('EREF')),
    references: ['PREF', 'CREF', 'IREF', 'MARF']
      .map((code) => givenReference(values.get(code)))
      .filter((one) => one !== null),
    code: null,
    text: joined.trim().slice(0, TEXT_MAX),
    name: (values.get('NAME') ?? name)?.slice(0, NAME_MAX) || null,
    account: (values.get('IBAN') ?? account)?.slice(0, ACCOUNT_MAX) || null,
  };
}

function subfieldsOf(text: string): { number: number; text: string }[] {
  const marks = [...text.matchAll(SUBFIELD)];
  return marks.map((mark, index) => ({
    number: Number(mark[1]),
    text: text.slice(mark.index + mark[0].length, marks[index + 1]?.index),
  }));
}

function tagsOf(text: string): ReadonlyMap<string, string> {
  const marks = [...text.matchAll(TAGS)];
  return new Map(
    marks.map((mark, index) => [mark[1]!, text.slice(mark.index + mark[0].length, marks[index + 1]?.index).trim()]),
  );
}

function referencesOf(tags: ReadonlyMap<string, string>): Pick<SwiftDetails, 'endToEndId' | 'references'> {
  const references = REFERENCE_TAGS.map((tag) => givenReference(tags.get(tag))).filter((one) => one !== null);
  return { endToEndId: givenReference(tags.get('EREF')), references };
}

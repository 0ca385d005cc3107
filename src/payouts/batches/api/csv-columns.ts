/** The columns of a CSV file of payouts, any of them in any order, and the members of a payout that they stand for. */
import { ApiError } from '../../../errors/errors.ts';
import { type JsonObject, parseJson } from '../../../values/json.ts';

/** By column: the path of the member. */
const MEMBERS: Readonly<Record<string, readonly string[]>> = {
  account: ['account'],
  amount: ['amount'],
  currency: ['currency'],
  type: ['destination', 'type'],
  alias: ['destination', 'alias'],
  provider: ['destination', 'provider'],
  iban: ['destination', 'iban'],
  bic: ['destination', 'bic'],
  name: ['destination', 'name'],
  line1: ['destination', 'address', 'line1'],
  city: ['destination', 'address', 'city'],
  postal_code: ['destination', 'address', 'postal_code'],
  country: ['destination', 'address', 'country'],
  wallet_id: ['destination', 'wallet_id'],
  phone: ['destination', 'phone'],
  card: ['destination', 'card'],
  to_account: ['destination', 'account'],
  payee: ['destination', 'payee'],
  remittance: ['remittance'],
  purpose_code: ['purpose_code'],
  external_id: ['external_id'],
};

const METADATA = 'metadata.';
const REQUIRED = ['amount', 'currency', 'type'];
const RESERVED_NAME = '__proto__';

/** Throws ApiError for a column that is unknown, named twice or missing. */
export function csvColumns(header: readonly string[]): readonly string[] {
  const fail = (code: 'parameter_unknown' | 'parameter_invalid' | 'parameter_missing', param: string, detail: string) =>
    new ApiError(code, { param, detail });
  const known = Object.keys(MEMBERS);
  for (const [at, column] of header.entries()) {
    const isMetadata = column.startsWith(METADATA) && column !== METADATA && column !== `${METADATA}${RESERVED_NAME}`;
    if (!Object.hasOwn(MEMBERS, column) && !isMetadata) {
      const detail = `Column ${at + 1} is not known. Known: ${known.join(', ')}, metadata.KEY.`;
      throw fail('parameter_unknown', `/rows/0/${at + 1}`, detail);
    }
    if (header.indexOf(column) !== at)
      throw fail('parameter_invalid', `/rows/0/${at + 1}`, `Column ${at + 1} has the name of another one.`);
  }
  for (const column of REQUIRED)
    if (!header.includes(column))
      throw fail('parameter_missing', `/rows/0/${column}`, `The column ${column} is missing.`);
  return header;
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** A row as JSON would have it. An empty field is a member that is left out. */
export function objectOfRow(columns: readonly string[], record: readonly string[]): JsonObject {
  const row: JsonObject = {};
  for (const [at, column] of columns.entries()) {
    const text = record[at]!;
    if (text === '') continue;
    put(row, pathOf(column), column === 'amount' && NUMBER.test(text) ? parseJson(text) : text);
  }
  return row;
}

function pathOf(column: string): readonly string[] {
  return MEMBERS[column] ?? ['metadata', column.slice(METADATA.length)];
}

function put(into: JsonObject, path: readonly string[], value: unknown): void {
  let at = into;
  for (const name of path.slice(0, -1)) {
    at[name] ??= {};
    at = at[name] as JsonObject;
  }
  at[path.at(-1)!] = value;
}

/** The column of a member, by its pointer: `amount` of `/amount`. */
export function placeOfColumn(pointer: string): string {
  const path = pointer.split('/').slice(1);
  for (const [column, member] of Object.entries(MEMBERS)) if (member.join('/') === path.join('/')) return column;
  if (path[0] === 'metadata' && path.length > 1) return `${METADATA}${path.slice(1).join('/')}`;
  return path[0] === 'destination' ? 'type' : (path[0] ?? '');
}

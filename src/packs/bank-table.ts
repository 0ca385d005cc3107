/** What banks state of the last day, in a pack of the operator's book: a row a bank account, compared with its account of the ledger. */
import { BadInput } from '../intake/bad-input.ts';
import { type CsvRow, readCsv } from '../intake/csv.ts';
import { type CsvColumn, csvHeader, csvRow } from '../values/csv-writing.ts';
import { parsePublicId, publicId, publicIdOrNull, type Uuid } from '../values/ids.ts';

export interface BankRow {
  readonly bankAccountId: Uuid;
  readonly ledgerAccountId: Uuid;
  readonly currency: string;
  /** The last statement that was posted when the days were closed. Null where none was. */
  readonly statementId: Uuid | null;
  readonly statedThrough: string | null;
  /** At the end of the last day, by that statement and the lines behind the day. Null where the bank states no balance. */
  readonly stated: bigint | null;
  /** What stands on the account of the ledger then: debits less credits. */
  readonly books: bigint;
}

const COLUMNS: readonly CsvColumn<BankRow>[] = [
  { name: 'bank_account', is: 'plain', read: ({ bankAccountId }) => publicId('bankAccount', bankAccountId) },
  { name: 'account', is: 'plain', read: ({ ledgerAccountId }) => publicId('account', ledgerAccountId) },
  { name: 'currency', is: 'plain', read: ({ currency }) => currency },
  { name: 'bank_statement', is: 'plain', read: ({ statementId }) => publicIdOrNull('bankStatement', statementId) },
  { name: 'stated_through', is: 'plain', read: ({ statedThrough }) => statedThrough },
  { name: 'stated_minor', is: 'plain', read: ({ stated }) => stated },
  { name: 'books_minor', is: 'plain', read: ({ books }) => books },
  { name: 'difference_minor', is: 'plain', read: ({ stated, books }) => (stated === null ? null : stated - books) },
];

export const bankHeader = csvHeader(COLUMNS);
export const bankText = (row: BankRow) => csvRow(COLUMNS, row);

/** What a reader compares: a difference is what the row states of it. */
export interface ReadBankRow extends Pick<BankRow, 'ledgerAccountId' | 'stated' | 'books'> {
  readonly bankAccount: string;
  readonly difference: bigint | null;
}

/** Throws BadInput with the line that is not as it should be. */
export function readBankRows(bytes: Buffer): ReadBankRow[] {
  return readCsv(
    bytes,
    COLUMNS.map(({ name }) => name),
  ).map((row) => {
    const ledgerAccountId = parsePublicId('account', row.fields.account!);
    if (ledgerAccountId === undefined) throw new BadInput(row.row, `${row.fields.account} is no id of an account.`);
    const books = numberIn(row, 'books_minor');
    if (books === null) throw new BadInput(row.row, 'books_minor is empty.');
    const [stated, difference] = [numberIn(row, 'stated_minor'), numberIn(row, 'difference_minor')];
    return { bankAccount: row.fields.bank_account!, ledgerAccountId, stated, books, difference };
  });
}

function numberIn({ row, fields }: CsvRow<string>, column: string): bigint | null {
  const text = fields[column]!;
  if (text === '') return null;
  if (!/^-?\d{1,19}$/.test(text)) throw new BadInput(row, `${column} is ${text}: not a whole number.`);
  return BigInt(text);
}

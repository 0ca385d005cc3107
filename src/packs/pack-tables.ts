/** The two tables from which the next pack goes on: accounts, and what takes effect behind the last day. */

import { BadInput } from '../intake/bad-input.ts';
import { type CsvRow, readCsv } from '../intake/csv.ts';
import type { Side } from '../ledger/account/account.ts';
import type { AccountCode } from '../ledger/account/account-code.ts';
import type { AccountType } from '../ledger/account/chart-names.ts';
import { type CsvColumn, csvHeader, csvRow } from '../values/csv-writing.ts';
import { parsePublicId, publicId, type Uuid } from '../values/ids.ts';
import type { JournalFold } from './fold-entries.ts';

/** What an account is. Names are in no table of a pack: they may change. */
export interface AccountFacts {
  readonly code: AccountCode;
  /** The code of the chart; of an own account, its own one. */
  readonly shownCode: string;
  readonly type: AccountType;
  readonly side: Side;
}

/** One of debit and credit is zero: what stands on the account at the end of the last day, by effect. */
export interface AccountLine extends AccountFacts {
  readonly id: Uuid;
  readonly currency: string;
  readonly since: string;
  readonly lines: bigint;
  readonly debit: bigint;
  readonly credit: bigint;
}

export interface LaterLine {
  readonly id: Uuid;
  readonly on: string;
  readonly debits: bigint;
  readonly credits: bigint;
}

const ACCOUNT_COLUMNS: readonly CsvColumn<AccountLine>[] = [
  { name: 'account', is: 'plain', read: ({ id }) => publicId('account', id) },
  { name: 'currency', is: 'plain', read: ({ currency }) => currency },
  { name: 'origin', is: 'plain', read: ({ code }) => code },
  { name: 'code', is: 'plain', read: ({ shownCode }) => shownCode },
  { name: 'type', is: 'plain', read: ({ type }) => type },
  { name: 'side', is: 'plain', read: ({ side }) => side },
  { name: 'first_posted_on', is: 'plain', read: ({ since }) => since },
  { name: 'lines', is: 'plain', read: ({ lines }) => lines },
  { name: 'debit', is: 'plain', read: ({ debit }) => debit },
  { name: 'credit', is: 'plain', read: ({ credit }) => credit },
];

const LATER_COLUMNS: readonly CsvColumn<LaterLine>[] = [
  { name: 'account', is: 'plain', read: ({ id }) => publicId('account', id) },
  { name: 'effective_on', is: 'plain', read: ({ on }) => on },
  { name: 'debits', is: 'plain', read: ({ debits }) => debits },
  { name: 'credits', is: 'plain', read: ({ credits }) => credits },
];

/** In the order of ids. `factsOf` is asked for every account of the fold. */
export function* accountLines(fold: JournalFold, factsOf: (id: Uuid) => AccountFacts): Generator<AccountLine> {
  for (const id of inOrder(fold)) {
    const { currency, since, lines, closing } = fold.accounts.get(id)!;
    yield { id, ...factsOf(id), currency, since, lines, debit: up(closing), credit: up(-closing) };
  }
}

export function* laterLines(fold: JournalFold): Generator<LaterLine> {
  for (const id of inOrder(fold)) {
    const { later } = fold.accounts.get(id)!;
    for (const on of [...later.keys()].sort()) yield { id, on, ...later.get(on)! };
  }
}

const inOrder = (fold: JournalFold): Uuid[] => [...fold.accounts.keys()].sort();
const up = (amount: bigint) => (amount > 0n ? amount : 0n);

export const accountsHeader = csvHeader(ACCOUNT_COLUMNS);
export const laterHeader = csvHeader(LATER_COLUMNS);
export const accountText = (line: AccountLine) => csvRow(ACCOUNT_COLUMNS, line);
export const laterText = (line: LaterLine) => csvRow(LATER_COLUMNS, line);

/** Throws BadInput with the line that is not as it should be. */
export function readAccountLines(bytes: Buffer): (AccountLine & { readonly row: number })[] {
  return readCsv(
    bytes,
    ACCOUNT_COLUMNS.map(({ name }) => name),
  ).map((row) => ({
    row: row.row,
    id: idIn(row),
    code: row.fields.origin as AccountCode,
    shownCode: row.fields.code!,
    type: row.fields.type as AccountType,
    side: row.fields.side as Side,
    currency: row.fields.currency!,
    since: row.fields.first_posted_on!,
    lines: numberIn(row, 'lines'),
    debit: numberIn(row, 'debit'),
    credit: numberIn(row, 'credit'),
  }));
}

/** Throws BadInput likewise. */
export function readLaterLines(bytes: Buffer): (LaterLine & { readonly row: number })[] {
  return readCsv(
    bytes,
    LATER_COLUMNS.map(({ name }) => name),
  ).map((row) => ({
    row: row.row,
    id: idIn(row),
    on: row.fields.effective_on!,
    debits: numberIn(row, 'debits'),
    credits: numberIn(row, 'credits'),
  }));
}

function idIn({ row, fields }: CsvRow<string>): Uuid {
  const id = parsePublicId('account', fields.account!);
  if (id === undefined) throw new BadInput(row, `${fields.account} is no id of an account.`);
  return id;
}

function numberIn({ row, fields }: CsvRow<string>, column: string): bigint {
  if (!/^\d{1,40}$/.test(fields[column]!))
    throw new BadInput(row, `${column} is ${fields[column]}: not a whole number.`);
  return BigInt(fields[column]!);
}

/** What the pack before left, as the fold of this one begins. Throws BadInput for an account that only one of the tables has. */
export function openFold(
  fold: JournalFold,
  accounts: readonly AccountLine[],
  later: readonly (LaterLine & { readonly row: number })[],
): void {
  for (const { id, currency, since, lines, debit, credit } of accounts)
    fold.open(id, { currency, since, lines, standing: debit - credit });
  for (const { id, on, debits, credits, row } of later) {
    if (!fold.accounts.has(id)) throw new BadInput(row, `${publicId('account', id)} is no account of the other table.`);
    fold.carry(id, on, { debits, credits });
  }
}

/** Of an account on its own side. */
export const onSide = ({ side }: Pick<AccountFacts, 'side'>, onDebit: bigint) =>
  side === 'debit' ? onDebit : -onDebit;

/**
 * A file of opening balances: CSV with the columns account,currency,amount and a TOTAL a currency. It is whole or nothing of it is kept. Amounts
 * are minor units in the account's own direction: what a customer is owed, what stands on the debit side of an asset. Pure.
 */
import { createHash } from 'node:crypto';
import { BadInput } from '../../intake/bad-input.ts';
import { readCsv } from '../../intake/csv.ts';
import { MAX_REQUEST_AMOUNT, MAX_TOTAL } from '../../money/amount.ts';
import { isCurrency } from '../../money/currency.ts';

const OPENING_COLUMNS = ['account', 'currency', 'amount'] as const;

/** All lines are in memory at once. */
export const LINES_MAX = 100_000;
/** Of the longest lines. */
export const OPENING_BYTES_MAX = 16 * 1024 * 1024;

export interface OpeningLine {
  /** Of the file, counted from 1 with the header. */
  readonly row: number;
  /** As the file names it. */
  readonly account: string;
  readonly currency: string;
  readonly amount: bigint;
}

export interface OpeningTotal {
  readonly currency: string;
  readonly amount: bigint;
}

export interface OpeningFile {
  /** Hexadecimal. */
  readonly sha256: string;
  readonly lines: readonly OpeningLine[];
  /** In the order of the file. */
  readonly totals: readonly OpeningTotal[];
}

const TRAILER = 'TOTAL';
const AMOUNT = /^-?\d{1,16}$/;
const TOTAL_AMOUNT = /^-?\d{1,19}$/;
const ACCOUNT_MAX = 100;

/** Throws BadInput, with the line of the file. */
export function readOpenings(bytes: Buffer): OpeningFile {
  const lines: OpeningLine[] = [];
  const rows = new Map<string, number>();
  const stated = new Map<string, { readonly row: number; readonly amount: bigint }>();
  const sums = new Map<string, bigint>();
  for (const { row, fields } of readCsv(bytes, OPENING_COLUMNS)) {
    const { account, currency } = fields;
    if (!isCurrency(currency)) throw new BadInput(row, `${shortened(currency)} is no currency.`);
    if (account === TRAILER) {
      if (stated.has(currency)) throw new BadInput(row, `A TOTAL of ${currency} stands before it.`);
      stated.set(currency, { row, amount: amountOf(row, fields.amount, TOTAL_AMOUNT, MAX_TOTAL) });
      continue;
    }
    if (stated.has(currency)) throw new BadInput(row, `It stands behind the TOTAL of ${currency}.`);
    if (account === '' || account.length > ACCOUNT_MAX || /\p{Cc}/u.test(account))
      throw new BadInput(row, 'It names no account.');
    const key = `${account} ${currency}`;
    const before = rows.get(key);
    if (before !== undefined) throw new BadInput(row, `The account stands in line ${before} as well.`);
    if (lines.length === LINES_MAX) throw new BadInput(row, `A file has at most ${LINES_MAX} lines. Split it.`);
    const amount = amountOf(row, fields.amount, AMOUNT, MAX_REQUEST_AMOUNT);
    rows.set(key, row);
    sums.set(currency, (sums.get(currency) ?? 0n) + amount);
    lines.push({ row, account, currency, amount });
  }
  requireTotals(sums, stated);
  if (lines.length === 0) throw new BadInput(null, 'The file has no lines.');
  const totals = [...sums].map(([currency, amount]) => ({ currency, amount }));
  return { sha256: createHash('sha256').update(bytes).digest('hex'), lines, totals };
}

function amountOf(row: number, text: string, form: RegExp, max: bigint): bigint {
  if (!form.test(text))
    throw new BadInput(row, `The amount is ${shortened(text)}, and should be a whole number of minor units.`);
  const amount = BigInt(text);
  if (amount > max || amount < -max) throw new BadInput(row, `The amount is ${text}; an amount is at most ${max}.`);
  return amount;
}

function requireTotals(
  sums: ReadonlyMap<string, bigint>,
  stated: ReadonlyMap<string, { readonly row: number; readonly amount: bigint }>,
): void {
  for (const [currency, { row, amount }] of stated) {
    const sum = sums.get(currency);
    if (sum === undefined) throw new BadInput(row, `It is the TOTAL of ${currency}, of which the file has no line.`);
    if (sum !== amount) throw new BadInput(row, `The TOTAL of ${currency} is ${amount}, and the lines come to ${sum}.`);
  }
  const missing = [...sums.keys()].find((currency) => !stated.has(currency));
  if (missing !== undefined) throw new BadInput(null, `There is no TOTAL of ${missing}: the file is not whole.`);
}

const shortened = (text: string) => (text.length > 40 ? `${text.slice(0, 40)}…` : text || 'empty');

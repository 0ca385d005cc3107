/** Numbers that were drawn, as accounts and amounts of the book. */
import { CURRENCIES } from '../../names.ts';
import { type Amount, amountOf } from '../../part.ts';
import type { ReferenceBook } from '../../reference-book.ts';
import { customers } from './reference.ts';

/** The last number is an unknown account. */
const NOBODY = 11;

export function accountAt(book: ReferenceBook, at: number): string {
  const known = customers(book);
  return at === NOBODY || known.length === 0 ? 'account nobody has' : known[at % known.length]!;
}

export function currencyOf(book: ReferenceBook, account: string, wrong: boolean): string {
  const own = book.accounts.get(account)?.currency ?? CURRENCIES[0];
  return wrong ? CURRENCIES.find((currency) => currency !== own)! : own;
}

/** An amount out of what is available on the account. */
export function amountFrom(book: ReferenceBook, account: string, amount: Amount, fee = 0n): bigint {
  const known = book.accounts.get(account);
  return amountOf(amount, known ? book.available(account) + (known.overdraft ?? 0n) - fee : 1n);
}

/**
 * The three programs of plain text accounting, and how each is written: hledger, ledger and beancount, in the form that their strict modes take.
 * Debits are positive. Texts of people are one line of plain text, whatever stands in them.
 */
import { addDays } from '../../calendar/day.ts';
import type { AccountCode } from '../../ledger/account/account-code.ts';
import { chartAccountId } from '../../ledger/account/chart.ts';
import type { AccountType } from '../../ledger/account/chart-names.ts';
import type { BookId } from '../../ledger/book/book.ts';
import { decimalOf } from '../../money/amount.ts';
import { currencyExponent } from '../../money/currency.ts';
import { publicId, type Uuid } from '../../values/ids.ts';
import type { NamedAccount } from '../figures/chart.ts';

export const PLAIN_FORMATS = ['hledger', 'ledger', 'beancount'] as const;
export type PlainFormat = (typeof PLAIN_FORMATS)[number];

export interface Leg {
  readonly account: string;
  /** Minor units; a credit is negative. */
  readonly amount: bigint;
  readonly currency: string;
}

export interface Titled {
  readonly day: string;
  /** The id of an entry; null of what sums entries up. */
  readonly id: string | null;
  readonly title: string;
  /** Of people. */
  readonly text: string | null;
}

export interface Dialect {
  readonly comment: (text: string) => string;
  account(
    path: string,
    declared: { readonly from: string; readonly currency: string; readonly named: NamedAccount },
  ): string;
  commodities(currencies: readonly string[], from: string): string;
  head(titled: Titled): string;
  leg(leg: Leg): string;
  /** What stands on accounts at the end of a day. */
  assertions(day: string, legs: readonly Leg[]): string;
}

const ROOTS: Readonly<Record<AccountType, string>> = {
  asset: 'Assets',
  liability: 'Liabilities',
  equity: 'Equity',
  income: 'Income',
  expense: 'Expenses',
};

/** Of one currency each, and the same for good: a name of people is no part of it. */
export function pathOf(
  bookId: BookId,
  { id, code, currency }: { readonly id: Uuid; readonly code: AccountCode; readonly currency: string },
  named: NamedAccount,
): string {
  const root = ROOTS[named.type];
  const shortId = publicId('account', id).slice('acct_'.length);
  if (code === 'customer') return `${root}:Customer:${shortId}`;
  if (code === 'own') return `${root}:${componentOf(named.code)}-${shortId.slice(-10)}`;
  const path = `${root}:${componentOf(code)}:${currency}`;
  return id === chartAccountId(bookId, code, currency) ? path : `${path}:${shortId}`;
}

/** A part of an account's name as all three take it: letters, digits and hyphens behind a capital. */
function componentOf(code: string): string {
  const plain = code.replace(/[^A-Za-z0-9]+/g, '-').replace(/^-+|-+$/g, '');
  return plain === '' ? 'Account' : plain[0]!.toUpperCase() + plain.slice(1, 60);
}

/** One line, without what begins a comment or ends a string. */
function oneLine(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .replaceAll(';', ',')
    .trim();
}

const amountOf = ({ amount, currency }: Leg) => `${decimalOf(amount, currency)} ${currency}`;
const zeroOf = (currency: string) => amountOf({ account: '', amount: 0n, currency });

/** Both read the same form, apart from the directives. */
function journalForm(commodity: (currency: string) => string): Dialect {
  const head: Dialect['head'] = ({ day, id, title, text }) => {
    const shown = text === null ? '' : oneLine(text);
    return `\n${day} *${id === null ? '' : ` (${id})`} ${title}${shown === '' ? '' : `: ${shown}`}\n`;
  };
  return {
    comment: (text) => `; ${oneLine(text)}\n`,
    account: (path, { named }) =>
      `account ${path}\n${named.name === null ? '' : `    ; ${oneLine(`${named.code} ${named.name}`).replaceAll(':', ' ')}\n`}`,
    commodities: (currencies) => currencies.map(commodity).join(''),
    head,
    leg: (leg) => `    ${leg.account}  ${amountOf(leg)}\n`,
    assertions: (day, legs) =>
      head({ day, id: null, title: 'Balances', text: null }) +
      legs.map((leg) => `    ${leg.account}  ${zeroOf(leg.currency)} = ${amountOf(leg)}\n`).join(''),
  };
}

const fraction = (currency: string) => '0'.repeat(currencyExponent(currency));

/** With its decimal mark, also where there are no decimals: hledger asks for it. */
const hledger = journalForm((currency) => `commodity 1000.${fraction(currency)} ${currency}\n`);
const ledger = journalForm(
  (currency) =>
    `commodity ${currency}\n    format 1000${fraction(currency) === '' ? '' : `.${fraction(currency)}`} ${currency}\n`,
);

const string = (text: string) => `"${oneLine(text).replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;

const beancount: Dialect = {
  comment: (text) => `; ${oneLine(text)}\n`,
  account: (path, { from, currency, named }) =>
    `${from} open ${path} ${currency}\n${named.name === null ? '' : `  name: ${string(`${named.code} ${named.name}`)}\n`}`,
  commodities: (currencies, from) => currencies.map((currency) => `${from} commodity ${currency}\n`).join(''),
  head: ({ day, id, title, text }) =>
    `\n${day} * ${string(title)}${text === null ? '' : ` ${string(text)}`}\n${id === null ? '' : `  entry: "${id}"\n`}`,
  leg: (leg) => `  ${leg.account}  ${amountOf(leg)}\n`,
  // It compares at the morning of a day. Without `~ 0` it accepts a difference of half of the last digit.
  assertions: (day, legs) =>
    `\n${legs.map(({ account, amount, currency }) => `${addDays(day, 1)} balance ${account}  ${decimalOf(amount, currency)} ~ ${decimalOf(0n, currency)} ${currency}\n`).join('')}`,
};

export const DIALECTS: Readonly<Record<PlainFormat, Dialect>> = { hledger, ledger, beancount };

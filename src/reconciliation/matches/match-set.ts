/** A set of lines with what they may be: their bank accounts' rules, and items found by what they name and by days. */
import { addDays } from '../../calendar/day.ts';
import type { Queryable } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Uuid } from '../../values/ids.ts';
import type { BankAccount } from '../accounts/bank-account.ts';
import type { ExpectedItem } from '../items/expected-item.ts';
import type { BankLine } from '../lines/bank-line.ts';
import { openAmount } from '../lines/bank-line.ts';
import type { BankAccountRules } from '../rules/bank-account-rules.ts';
import { bankAccountRules } from '../rules/bank-account-rules-table.ts';
import { findNamedItems, listOpenItems, listOpenLinesAsItems, listUndoneMatches } from './candidate-store.ts';
import {
  type AccountRules,
  type MatchInput,
  type MatchItem,
  type MatchingRules,
  matchKey,
  type OpenLine,
} from './matching.ts';
import { batchNames, beginningsOf, idsInDetails, idsInText, oursAsIs } from './named-items.ts';
import { signedOpen } from './take-parts.ts';

/** Lines and items that rules without references look at in one run. What is beyond waits for the next one. */
export const OPEN_MAX = 10_000;

/** Calendar days around lines in which items are looked for: the widest window has 60 business days, on a calendar of five a week. */
const DAYS_AROUND = 90;

/** The rules of these bank accounts, each by its active version. */
export async function readRules(
  db: Queryable,
  bookId: BookId,
  accounts: readonly BankAccount[],
): Promise<MatchingRules> {
  const active = await bankAccountRules.load(
    db,
    bookId,
    accounts.flatMap(({ rulesId }) => rulesId ?? []),
  );
  return {
    accounts: new Map(
      accounts.map(({ id, rulesId, rulesVersion, calendar, windowBefore, windowAfter, parties }) => [
        id,
        {
          ...{ version: rulesVersion, calendar, window: { before: windowBefore, after: windowAfter }, parties },
          ...contentOf(rulesId === null ? undefined : active.get(rulesId)),
        },
      ]),
    ),
    own: new Map(accounts.flatMap(({ id, identifiers }) => identifiers.map((one) => [one, id] as const))),
  };
}

function contentOf(rules: BankAccountRules | undefined): Pick<AccountRules, 'tolerances' | 'bookings'> {
  return {
    tolerances: (rules?.tolerances ?? []).map((one) => ({ ...one, amount: BigInt(one.amount) })),
    bookings: (rules?.bookings ?? []).map((one) => ({ ...one, amountMax: BigInt(one.amountMax) })),
  };
}

/** An account that its book compares has no parties and no rules of its own: what a line names is all that counts. */
export function rulesOfCompared(accountId: Uuid): MatchingRules {
  const none = { version: null, parties: [], tolerances: [], bookings: [] };
  const rules: AccountRules = { ...none, calendar: 'fri_sat', window: { before: 1, after: 5 } };
  return { accounts: new Map([[accountId, rules]]), own: new Map() };
}

export function openLineOf(line: BankLine, awaits: readonly Uuid[] = []): OpenLine {
  const bankAccountId = (line.bankAccountId ?? line.comparedAccountId)!;
  return { ...line, bankAccountId, amount: openAmount(line), endToEndId: oursAsIs(line.endToEndId), awaits };
}

export function matchItemOf(item: Omit<ExpectedItem, 'createdAt'>): MatchItem {
  const whole = item.direction === 'in' ? item.amount : -item.amount;
  return { ...item, amount: signedOpen(item), whole, isPartly: item.status === 'partly_matched' };
}

interface SetOf {
  readonly bookId: BookId;
  readonly lines: readonly OpenLine[];
  readonly rules: MatchingRules;
  /** Whether rules without references look too. */
  readonly whole: boolean;
  /** Of a book's own comparison: the account whose lines are the items. */
  readonly comparedAccountId?: Uuid;
}

export async function readSet(
  db: Queryable,
  { bookId, lines, rules, whole, comparedAccountId }: SetOf,
): Promise<MatchInput> {
  const each = (values: readonly (string | null)[]) => [...new Set(values.filter((one) => one !== null))];
  const named = await findNamedItems(db, bookId, {
    endToEndIds: each(
      lines.flatMap((line) => [line.endToEndId, ...line.refs, ...idsInText(line), ...idsInDetails(line)]),
    ),
    references: each(lines.flatMap(({ bankReference, refs, endToEndId }) => [bankReference, endToEndId, ...refs])),
    beginnings: each(lines.flatMap(beginningsOf)),
    batchIds: each(lines.flatMap(batchNames)),
    comparedAccountId,
  });
  const items = new Map<Uuid, MatchItem>(named.map((item) => [item.id, matchItemOf(item)]));
  if (whole)
    for (const currency of each(lines.map((line) => line.currency)))
      for (const item of await openAround(db, bookId, { lines, currency, comparedAccountId }))
        items.set(item.id, matchItemOf(item));
  return { lines, items: [...items.values()], rules, undone: await readUndone(db, bookId) };
}

/** More than people ever undo of what is open. */
const UNDONE_MAX = 1_000;

/** By what makes them the same. Read behind the lines: one that was undone before is here. */
async function readUndone(db: Queryable, bookId: BookId): Promise<ReadonlySet<string>> {
  const undone = await listUndoneMatches(db, bookId, UNDONE_MAX);
  return new Set(
    undone.map(({ lines, items, difference, differenceTo }) =>
      matchKey({ lines, items, difference: differenceTo === null ? null : { amount: difference, to: differenceTo } }),
    ),
  );
}

function openAround(
  db: Queryable,
  bookId: BookId,
  { lines, currency, comparedAccountId }: Pick<SetOf, 'lines' | 'comparedAccountId'> & { readonly currency: string },
): Promise<ExpectedItem[]> {
  const booked = lines.filter((line) => line.currency === currency).map(({ bookedOn }) => bookedOn);
  const [first, last] = [
    booked.reduce((one, other) => (one < other ? one : other)),
    booked.reduce((one, other) => (one > other ? one : other)),
  ];
  const days = { from: addDays(first, -DAYS_AROUND), to: addDays(last, DAYS_AROUND), limit: OPEN_MAX };
  return comparedAccountId === undefined
    ? listOpenItems(db, bookId, { currency, ...days })
    : listOpenLinesAsItems(db, bookId, { comparedAccountId, ...days });
}

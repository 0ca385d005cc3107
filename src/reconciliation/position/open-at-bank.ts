/** What nothing explains: lines by their age and by their side, items that no bank has shown, and which rules explain the rest. */
import { dayNumber } from '../../calendar/day.ts';
import type { Queryable } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import { BEFORE_ALL_IDS, publicId, type Uuid } from '../../values/ids.ts';
import { elsewhere } from '../../values/progress.ts';
import type { BankColumn, BankReport, BankRow } from './bank-report.ts';
import { listOpenLines, type OpenLine, readMatchedBy, readOpenItems } from './position-store.ts';

const PAGE = 10_000;

async function* openLines(db: Queryable, bookId: BookId): AsyncGenerator<OpenLine> {
  for (let after: Uuid = BEFORE_ALL_IDS; ; ) {
    const page = await listOpenLines(db, bookId, { after, limit: PAGE });
    yield* page;
    if (page.length < PAGE) return;
    after = elsewhere('open lines', after, page.at(-1)!.id);
  }
}

/** From so many days on, oldest last. */
const AGES = [
  { from: 0, name: '0 to 1 days' },
  { from: 2, name: '2 to 7 days' },
  { from: 8, name: '8 to 30 days' },
  { from: 31, name: '31 to 90 days' },
  { from: 91, name: 'over 90 days' },
] as const;

const sideOf = ({ open }: OpenLine) => (open > 0n ? 'unallocated' : 'suspense');

interface Counted {
  lines: number;
  amount: bigint;
  oldest: string;
}

async function counted(
  db: Queryable,
  bookId: BookId,
  keyOf: (line: OpenLine) => readonly string[],
): Promise<[readonly string[], Counted][]> {
  const counts = new Map<string, [readonly string[], Counted]>();
  for await (const line of openLines(db, bookId)) {
    const key = keyOf(line);
    const [, count] = counts.get(key.join(' ')) ?? [key, { lines: 0, amount: 0n, oldest: line.bookedOn }];
    count.lines += 1;
    count.amount += line.open;
    if (line.bookedOn < count.oldest) count.oldest = line.bookedOn;
    counts.set(key.join(' '), [key, count]);
  }
  return [...counts].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, count]) => count);
}

export const AGEING_COLUMNS: readonly BankColumn[] = [
  { name: 'currency', is: 'word' },
  { name: 'code', is: 'word' },
  { name: 'age', is: 'word' },
  { name: 'lines', is: 'count' },
  { name: 'amount', is: 'amount' },
  { name: 'oldest', is: 'word' },
];

/** Lines on unallocated and suspense by the days since they were booked. */
export async function suspenseAgeing(db: Queryable, bookId: BookId, day: string): Promise<BankReport> {
  const ageOf = ({ bookedOn }: OpenLine) => {
    const days = dayNumber(day) - dayNumber(bookedOn);
    return String(AGES.findLastIndex(({ from }, index) => index === 0 || days >= from));
  };
  const found = await counted(db, bookId, (line) => [line.currency, sideOf(line), ageOf(line)]);
  return {
    type: 'suspense_ageing',
    title: 'Lines that nothing explains, by age',
    columns: AGEING_COLUMNS,
    rows: found.map(
      ([[currency = '', code = '', age], count]): BankRow => ({
        ...{ currency, code, age: AGES[Number(age)]!.name, ...count },
      }),
    ),
    ok: true,
    throughSequence: null,
  };
}

export const UNMATCHED_COLUMNS: readonly BankColumn[] = [
  { name: 'side', is: 'word' },
  { name: 'currency', is: 'word' },
  { name: 'direction', is: 'word' },
  { name: 'of', is: 'text' },
  { name: 'count', is: 'count' },
  { name: 'amount', is: 'amount' },
  { name: 'oldest', is: 'word' },
];

/** Lines without an item, and items without a line. */
export async function unmatchedBySide(db: Queryable, bookId: BookId): Promise<BankReport> {
  const lines = await counted(db, bookId, (line) => [line.currency, line.open > 0n ? 'in' : 'out', line.bankAccountId]);
  const items = await readOpenItems(db, bookId);
  const rows: BankRow[] = [
    ...lines.map(([[currency = '', direction = '', account = ''], { lines: count, amount, oldest }]) => ({
      ...{ side: 'bank', currency, direction, of: publicId('bankAccount', account), count, amount, oldest },
    })),
    ...items.map(({ party, direction, currency, count, open, oldest }) => ({
      ...{ side: 'books', currency, direction, of: party, count, amount: direction === 'out' ? -open : open, oldest },
    })),
  ];
  return {
    type: 'unmatched',
    title: 'Without a match, by side',
    columns: UNMATCHED_COLUMNS,
    rows,
    ok: true,
    throughSequence: null,
  };
}

export const RATES_COLUMNS: readonly BankColumn[] = [
  { name: 'currency', is: 'word' },
  { name: 'rule', is: 'word' },
  { name: 'matches', is: 'count' },
  { name: 'lines', is: 'count' },
  { name: 'amount', is: 'amount' },
  { name: 'per_mille_of_lines', is: 'count' },
];

/** How much each rule has matched. `from` and `before`: the first ids of the first day, and of the day behind the last. */
export async function matchRates(
  db: Queryable,
  bookId: BookId,
  days: { readonly from: Uuid; readonly before: Uuid },
): Promise<BankReport> {
  const found = await readMatchedBy(db, bookId, days);
  const all = new Map<string, number>();
  for (const { currency, lines } of found) all.set(currency, (all.get(currency) ?? 0) + lines);
  return {
    type: 'match_rates',
    title: 'Matches by rule',
    columns: RATES_COLUMNS,
    rows: found.map(({ rule, currency, matches, lines, amount }) => ({
      ...{ currency, rule, matches, lines, amount },
      per_mille_of_lines: Math.round((1_000 * lines) / all.get(currency)!),
    })),
    ok: true,
    throughSequence: null,
  };
}

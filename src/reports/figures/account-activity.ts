/** The activity of each account: what stood on it before the first day, what was debited and credited, what stands on it after the last. */
import type { Queryable } from '../../db/pool.ts';
import { loadBalancesAt, loadLongFolded } from '../../ledger/balances/balances-at.ts';
import type { BookId } from '../../ledger/book/book.ts';
import { publicId, type Uuid } from '../../values/ids.ts';
import { type LineRange, type Moved, sumEffectiveLines, sumLines } from './activity-store.ts';
import { type ChartEntry, chartAt } from './chart.ts';
import { accountColumns, FigureContradicted, type FigureKind, type FigureOrigin, type Row } from './figures.ts';
import { dayBefore, placeAt } from './place.ts';

export const accountActivity: FigureKind = {
  columns: [
    ...accountColumns,
    { name: 'opening', is: 'amount' },
    { name: 'debits', is: 'amount', totals: 'debits' },
    { name: 'credits', is: 'amount', totals: 'credits' },
    { name: 'closing', is: 'amount' },
  ],
  balances: true,
  async *rows(origin, from) {
    const { db, book, place, asked } = origin;
    const opened = await placeAt(db, book, { ...asked, day: dayBefore(asked.from) });
    for await (const { entries: page, last } of chartAt(db, book.id, place, asked, from)) {
      const ids = page.map(({ id }) => id);
      const openings = new Map((await loadBalancesAt(db, book.id, opened, ids)).map((one) => [one.id, one]));
      const ranges = page.map(({ id, line }) => ({ id, after: openings.get(id)!.line, through: line }));
      const moved = await movedBy(origin, page, ranges);
      const rows = page.flatMap(
        (entry) => activityRow(entry, openings.get(entry.id)!.posted, moved.get(entry.id)!) ?? [],
      );
      yield { rows, next: last };
    }
  },
};

/** Undefined where nothing was there and nothing moved. Throws FigureContradicted where what moved does not lead from one balance to the other. */
export function activityRow(
  { id, currency, line, side, posted, named }: ChartEntry,
  opening: bigint,
  { debits, credits }: Sums,
): Row | undefined {
  const closing = opening + (side === 'debit' ? debits - credits : credits - debits);
  if (closing !== posted)
    throw new FigureContradicted(
      `Of ${publicId('account', id)}, ${opening} and what moved come to ${closing}; ${posted} stands there. Run \`npm run verify\`.`,
    );
  if (line === 0n && opening === 0n && debits === 0n && credits === 0n) return undefined;
  const { code, name, type } = named;
  return { currency, code, name, type, account: publicId('account', id), opening, debits, credits, closing };
}

interface Sums {
  debits: bigint;
  credits: bigint;
}

/** Lines in one statement: some 50 ms. */
const LINES_AT_ONCE = 50_000n;

async function movedBy(
  { db, book, asked, place }: FigureOrigin,
  page: readonly ChartEntry[],
  ranges: readonly LineRange[],
): Promise<Map<Uuid, Sums>> {
  const sums = new Map(page.map(({ id }) => [id, { debits: 0n, credits: 0n }]));
  const add = (id: Uuid, debits: bigint, credits: bigint) => {
    const of = sums.get(id)!;
    of.debits += debits;
    of.credits += credits;
  };
  const byEffect = place.day !== null;
  const folded = byEffect ? await loadLongFolded(db, book.id, { ids: [...sums.keys()], ...asked }) : new Map();
  for (const { id, debitsWithin, creditsWithin } of folded.values()) add(id, debitsWithin, creditsWithin);
  const behind = ranges.map(({ id, after, through }) => ({
    ...{ id, through },
    after: bigger(after, folded.get(id)?.line ?? 0n),
  }));
  for await (const { id, debits, credits } of sumsOf(db, book.id, behind)) add(id, debits, credits);
  if (!byEffect) return sums;
  const logs = page.map(({ id }) => ({ id, line: folded.get(id)?.line ?? 0n }));
  const sideOf = new Map(page.map(({ id, side }) => [id, side]));
  for (const { id, up, down } of await sumEffectiveLines(db, book.id, logs, asked)) {
    const isDebit = sideOf.get(id) === 'debit';
    add(id, isDebit ? up : down, isDebit ? down : up);
  }
  return sums;
}

const bigger = (one: bigint, other: bigint) => (one > other ? one : other);

/** Long ranges are read in parts, short ones together. */
async function* sumsOf(db: Queryable, bookId: BookId, ranges: readonly LineRange[]): AsyncGenerator<Moved> {
  let together: LineRange[] = [];
  let room = LINES_AT_ONCE;
  for (const { id, ...range } of ranges) {
    for (let { after } = range; after < range.through; ) {
      const through = after + room < range.through ? after + room : range.through;
      together.push({ id, after, through });
      room -= through - after;
      after = through;
      if (room > 0n) continue;
      yield* await sumLines(db, bookId, together);
      together = [];
      room = LINES_AT_ONCE;
    }
  }
  if (together.length > 0) yield* await sumLines(db, bookId, together);
}

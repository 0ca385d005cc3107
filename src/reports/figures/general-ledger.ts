/**
 * The general ledger: of each account what stood on it before the first day, and every line that was posted by the last one, or one row for each
 * day on which it moved. Lines count by the day of their posting, with the day of their effect beside; on the axis of effect by that one, in the
 * order of these days. Each balance follows from the one before, and the last one is what stands there, or the report fails.
 * Next: account-ledger.ts (the rows of one account), effect-lines.ts (lines of other days).
 */
import { grouped } from '../../group/steps-store.ts';
import { type JournalPlace, loadBalancesAt } from '../../ledger/balances/balances-at.ts';
import { AccountLedger, type LedgerPlace } from './account-ledger.ts';
import { type ChartEntry, chartAt, chartEntriesOf } from './chart.ts';
import { linesByEffect } from './effect-lines.ts';
import { accountColumns, type FigureKind, type FigureOrigin, type FigurePage, type Row, readAhead } from './figures.ts';
import { findWithOtherDays, readLedgerLines } from './ledger-lines-store.ts';
import { dayBefore, placeAt } from './place.ts';

export const generalLedger: FigureKind = {
  columns: [
    ...accountColumns,
    { name: 'posted_on', is: 'word' },
    { name: 'effective_on', is: 'word' },
    { name: 'line', is: 'count' },
    { name: 'step', is: 'word' },
    { name: 'resource', is: 'word' },
    { name: 'resource_id', is: 'word' },
    { name: 'journal_entry', is: 'word' },
    { name: 'counter_account', is: 'word' },
    { name: 'debit', is: 'amount', totals: 'debits' },
    { name: 'credit', is: 'amount', totals: 'credits' },
    { name: 'balance', is: 'amount' },
  ],
  balances: true,
  rows: (origin, from) => readAhead(ledgerPages(origin, from)),
};

async function* ledgerPages(origin: FigureOrigin, from: string | undefined): AsyncGenerator<FigurePage> {
  const { db, book, place, asked } = origin;
  const opened = await placeAt(db, book, { ...asked, day: dayBefore(asked.from) });
  const begunAt = from === undefined ? undefined : readPlace(from);
  const id = begunAt?.id;
  if (id !== undefined) {
    const entries = await chartEntriesOf(db, book.id, place, [id]);
    yield* pagesOf(origin, opened, { entries, begunAt });
  }
  if (asked.account !== undefined) {
    if (id === undefined)
      yield* pagesOf(origin, opened, { entries: await chartEntriesOf(db, book.id, place, [asked.account]) });
    return;
  }
  for await (const { entries } of chartAt(db, book.id, place, asked, id)) yield* pagesOf(origin, opened, { entries });
}

/** Lines of a page: some ten milliseconds. */
const LINES_PER_PAGE = 2_000n;

/** What of an account a page has. */
interface Part {
  readonly ledger: AccountLedger;
  readonly after: bigint;
  readonly through: bigint;
}

async function* pagesOf(
  origin: FigureOrigin,
  opened: JournalPlace,
  { entries, begunAt }: { readonly entries: readonly ChartEntry[]; readonly begunAt?: LedgerPlace | undefined },
): AsyncGenerator<FigurePage> {
  const { db, book, asked } = origin;
  const ids = entries.map(({ id }) => id);
  const openings = new Map((await loadBalancesAt(db, book.id, opened, ids)).map((one) => [one.id, one]));
  const withOthers = asked.axis === 'effective' ? await findWithOtherDays(db, book.id, { ...asked, ids }) : new Set();
  let parts: Part[] = [];
  let room = LINES_PER_PAGE;
  for (const entry of entries) {
    const opening = openings.get(entry.id)!;
    if (withOthers.has(entry.id)) {
      if (parts.length > 0) yield await pageOf(origin, parts);
      parts = [];
      room = LINES_PER_PAGE;
      yield* pagesByEffect(origin, { entry, opening, begunAt });
      continue;
    }
    if (entry.line === opening.line && opening.posted === 0n) continue;
    const ledger = new AccountLedger(origin, entry, { balance: opening.posted, line: opening.line });
    let after = opening.line;
    if (begunAt !== undefined) {
      ledger.goOn(begunAt);
      after = begunAt.line;
    }
    do {
      const through = after + room < entry.line ? after + room : entry.line;
      parts.push({ ledger, after, through });
      room -= through - after;
      after = through;
      // An account without lines takes its place as well.
      room -= 1n;
      if (room > 0n) continue;
      yield await pageOf(origin, parts);
      parts = [];
      room = LINES_PER_PAGE;
    } while (after < entry.line);
  }
  const last = entries.at(-1);
  if (parts.length > 0) yield await pageOf(origin, parts);
  // A writer keeps its place while it passes accounts on which nothing stands.
  else if (last !== undefined)
    yield { rows: [], next: writePlace({ id: last.id, line: last.line, balance: last.posted, other: null }) };
}

async function pageOf({ db, book }: FigureOrigin, parts: readonly Part[]): Promise<FigurePage> {
  const ranges = parts
    .filter(({ after, through }) => after < through)
    .map(({ ledger, after, through }) => ({ id: ledger.id, after, through }));
  const lines = ranges.length === 0 ? [] : await readLedgerLines(db, book.id, ranges);
  const byAccount = grouped(
    lines,
    ({ accountId }) => accountId,
    (line) => line,
  );
  const rows = parts.flatMap(({ ledger, through }) => ledger.take(byAccount.get(ledger.id) ?? [], through));
  return { rows, next: writePlace(parts.at(-1)!.ledger.reached()) };
}

/** An account with lines of other days: one by one, in the order of effect. */
async function* pagesByEffect(
  origin: FigureOrigin,
  {
    entry,
    opening,
    begunAt,
  }: {
    readonly entry: ChartEntry;
    readonly opening: { readonly posted: bigint; readonly line: bigint };
    readonly begunAt: LedgerPlace | undefined;
  },
): AsyncGenerator<FigurePage> {
  const ledger = new AccountLedger(origin, entry, { balance: opening.posted, line: opening.line });
  if (begunAt !== undefined) ledger.goOn(begunAt);
  let rows: Row[] = [...ledger.begin()];
  const from = begunAt ?? { line: opening.line, other: null };
  for await (const line of linesByEffect(origin, { id: entry.id, through: entry.line, from })) {
    rows.push(...ledger.add(line));
    if (rows.length < Number(LINES_PER_PAGE)) continue;
    yield { rows, next: writePlace(ledger.reached()) };
    rows = [];
  }
  rows.push(...ledger.end());
  yield { rows, next: writePlace(ledger.reached()) };
}

/** Behind which lines a writer goes on: the account, its last line and the balance behind it, and of other days the last day and line. */
function writePlace({ id, line, balance, other }: LedgerPlace): string {
  return [id, line, balance, ...(other === null ? [] : [other.day, other.line])].join(' ');
}

function readPlace(text: string): LedgerPlace {
  const [id, line, balance, day, other] = text.split(' ');
  return {
    ...{ id: id!, line: BigInt(line!), balance: BigInt(balance!) },
    other: day === undefined ? null : { day, line: BigInt(other!) },
  };
}

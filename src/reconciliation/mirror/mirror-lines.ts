/**
 * Books lines of a book's pool account in the operator's book, in one command: an entry a day, with an expected item for each line that a bank will
 * show. `behind` names the line before them, so a command that comes twice, or late, changes nothing.
 *
 * An entry takes effect on the day of its lines in the operator's time zone. The book of a test may be ahead of the operator's: then it takes
 * effect at once, and keeps its day as `occurred_on`.
 */
import { dayOf } from '../../calendar/day.ts';
import type { Followed } from '../../group/approval-follow.ts';
import type { BankMovement, OtherSide } from '../../group/at-bank.ts';
import type { AccountLine } from '../../ledger/account/account-line-store.ts';
import { accounts } from '../../ledger/account/account-table.ts';
import { chartAccountId } from '../../ledger/account/chart.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Command } from '../../ledger/command/command.ts';
import { Draft } from '../../ledger/command/draft.ts';
import type { Entry } from '../../ledger/entry/entry.ts';
import { announce } from '../../ledger/resources/resource.ts';
import { encodeActor } from '../../values/actor.ts';
import { deriveId, newId, type ResourceName, type Uuid } from '../../values/ids.ts';
import type { ExpectedItem, ItemClearing } from '../items/expected-item.ts';
import { expectedItems } from '../items/expected-item-table.ts';
import { sideAccount, sideAccountId } from '../items/party-accounts.ts';
import type { BookMirror, MirroredPool, MirroredSide } from './book-mirror.ts';
import { bookMirrorResource } from './book-mirror-resource.ts';
import { bookMirrors, mirroredPools } from './book-mirror-table.ts';

/** Each may be an item, and a command touches at most 1,000 rows. */
export const LINES_PER_COMMAND = 400;
/** Each is an entry, a row and an event. */
const DAYS_PER_COMMAND = 31;

/** A line of a pool account, with what its group states of it. */
export interface WordedLine {
  readonly line: AccountLine;
  readonly movement: BankMovement;
}

export interface MirrorLines {
  /** The operator's. */
  readonly bookId: BookId;
  readonly pool: Pick<MirroredPool, 'poolAccountId' | 'ofBook' | 'currency'>;
  /** The line before these. */
  readonly behind: bigint;
  /** In their order. */
  readonly lines: readonly WordedLine[];
  readonly followed?: readonly Followed[];
}

const ACTOR = encodeActor({ type: 'system', part: 'reconciliation' });

/** Of a line of a pool account, whoever mirrors it. */
export function mirroredItemId(poolAccountId: Uuid, line: bigint): Uuid {
  return deriveId('expected_item', poolAccountId, String(line));
}

/** Answers with the line through which the account is mirrored by then. */
export function mirrorLines(input: MirrorLines): Command<bigint> {
  const { bookId, pool, behind, lines, followed = [] } = input;
  const { poolAccountId, currency } = pool;
  const origin = { id: newId(), requestId: newId(), actor: ACTOR };
  const mirrorIds = lines.slice(0, DAYS_PER_COMMAND).map(() => newId());
  const sides = lines.flatMap(({ movement }) =>
    movement.against.map((side) => sideAccountId(bookId, { ...side, currency })),
  );
  return {
    ...origin,
    name: 'book.mirror',
    touches: [
      { table: mirroredPools, ids: [poolAccountId] },
      { table: bookMirrors, ids: mirrorIds },
      { table: expectedItems, ids: lines.map(({ line }) => mirroredItemId(poolAccountId, line.line)) },
      { table: accounts, ids: [...new Set([chartAccountId(bookId, 'pool_owed', currency), ...sides])] },
      ...followed.flatMap((one) => one.touches),
    ],
    decide(state, moment) {
      const draft = new Draft(state, origin, moment);
      const known = draft.get(mirroredPools, poolAccountId);
      const mirrored = known?.line ?? 0n;
      if (mirrored !== behind) return draft.finish(mirrored);
      const days = byDay(lines, draft.book.timeZone).slice(0, mirrorIds.length);
      for (const [index, day] of days.entries())
        mirrorDay(draft, { pool, day, id: mirrorIds[index]!, requestId: origin.requestId });
      const last = days.at(-1)?.lines.at(-1)?.line;
      if (last === undefined) return draft.finish(mirrored);
      for (const one of followed) one.begin(draft);
      draft.put(mirroredPools, poolAccountId, { ...pool, line: last.line, balance: last.balanceAfter });
      return draft.finish(last.line);
    },
  };
}

interface Day {
  readonly on: string;
  readonly lines: WordedLine[];
}

/** A book's time never runs backwards: lines of a day stand together. */
function byDay(lines: readonly WordedLine[], timeZone: string): Day[] {
  const days: Day[] = [];
  for (const one of lines) {
    const on = dayOf(one.line.postedAt, timeZone);
    if (days.at(-1)?.on !== on) days.push({ on, lines: [] });
    days.at(-1)!.lines.push(one);
  }
  return days;
}

interface MirrorDay {
  readonly pool: MirrorLines['pool'];
  readonly day: Day;
  readonly id: Uuid;
  readonly requestId: Uuid;
}

function mirrorDay(draft: Draft, { pool, day: { on, lines }, id, requestId }: MirrorDay): void {
  const { book: now } = draft.moment;
  const sums = sumsOf(lines);
  const postedAt = lines.at(-1)!.line.postedAt;
  const today = dayOf(now, draft.book.timeZone);
  const entry = draft.post({
    ...({ resource: 'book_mirror', resourceId: id, step: 'mirrored' } as const),
    ...(postedAt < now && { effectiveAt: postedAt }),
    ...(on > today && { occurredOn: on }),
    postings: sums.flatMap((sum) => postingsOf(draft, pool.currency, sum)),
  });
  const items = lines.flatMap(({ line, movement }) =>
    movement.expected === null ? [] : [itemOf(draft, { pool, line, movement, entry, on: on > today ? today : on })],
  );
  for (const item of items) draft.put(expectedItems, item.id, item);
  const mirror: BookMirror = {
    ...{ id, ...pool, day: on, items: items.length },
    ...{ fromLine: lines[0]!.line.line, throughLine: lines.at(-1)!.line.line },
    ...{ moneyIn: amountOf(lines, 'debit'), moneyOut: amountOf(lines, 'credit') },
    poolBalance: lines.at(-1)!.line.balanceAfter,
    sides: sidesOf(draft.book.id, pool.currency, sums),
    ...{ entryIds: [entry.id], requestId, version: 1, createdAt: now, updatedAt: now },
  };
  announce(draft, bookMirrorResource, draft.put(bookMirrors, id, mirror), {
    event: 'book_mirror.posted',
    entries: [entry],
  });
}

/** What lines moved against one account, money in and money out apart. */
interface Sum {
  readonly side: Omit<OtherSide, 'amount'>;
  in: bigint;
  out: bigint;
}

function sumsOf(lines: readonly WordedLine[]): Sum[] {
  const sums = new Map<string, Sum>();
  for (const { line, movement } of lines)
    for (const { amount, ...side } of movement.against) {
      const key = `${side.code} ${side.party ?? ''}`;
      const sum = sums.get(key) ?? { side, in: 0n, out: 0n };
      sums.set(key, sum);
      if (line.direction === 'debit') sum.in += amount;
      else sum.out += amount;
    }
  return [...sums.values()];
}

function postingsOf(draft: Draft, currency: string, { side, in: moneyIn, out }: Sum) {
  const owed = draft.chart('pool_owed', currency).id;
  const other = sideAccount(draft, { ...side, currency }).id;
  return [
    { debit: other, credit: owed, amount: moneyIn },
    { debit: owed, credit: other, amount: out },
  ];
}

function sidesOf(bookId: BookId, currency: string, sums: readonly Sum[]): MirroredSide[] {
  return sums.map(({ side, in: debits, out: credits }) => ({
    accountId: sideAccountId(bookId, { ...side, currency }),
    code: side.code,
    debits: String(debits),
    credits: String(credits),
  }));
}

function amountOf(lines: readonly WordedLine[], direction: AccountLine['direction']): bigint {
  return lines.reduce((sum, { line }) => sum + (line.direction === direction ? line.amount : 0n), 0n);
}

interface NewItem extends WordedLine {
  readonly pool: MirrorLines['pool'];
  readonly entry: Entry;
  readonly on: string;
}

function itemOf(draft: Draft, { pool, line, movement, entry, on }: NewItem): ExpectedItem {
  const { party, on: expectedOn, ...references } = movement.expected!;
  const [side] = movement.against;
  return {
    id: mirroredItemId(pool.poolAccountId, line.line),
    party,
    clearing: side!.code as ItemClearing,
    clearingAccountId: sideAccountId(draft.book.id, { ...side!, currency: pool.currency }),
    direction: line.direction === 'debit' ? 'in' : 'out',
    ...{ amount: line.amount, amountOpen: line.amount, currency: pool.currency },
    ...{ expectedOn: expectedOn ?? on, status: 'open', bankAccountId: null },
    ...{
      ofBook: pool.ofBook,
      resource: line.resource as ResourceName,
      resourceId: line.resourceId,
      poolLine: line.line,
    },
    ...references,
    ...{ entryId: entry.id, openingEntryId: null, exceptionId: null, createdAt: draft.moment.book },
  };
}

/**
 * The chain of an account's statements. Their days state in which order they stand, and balances prove it: those of a day are a walk from the balance
 * before it to the balance behind it. A statement goes on where the account stands, or some lead back to where they begin, at a place where the
 * account stood then, or all up to a day make its days whole. Numbers only order what is released: banks number in too many ways for them to prove
 * anything. Pure.
 *
 * Whatever order they come in, a whole chain is released whole: what is posted and what waits are its days then.
 */
import type { BankAccount } from '../accounts/bank-account.ts';

/** A statement that waits. */
export interface Waiting {
  readonly id: string;
  /** YYYY-MM-DD, its last one. */
  readonly on: string;
  readonly number: string | null;
  readonly page: number | null;
  readonly opening: bigint;
  readonly closing: bigint;
  /** The page before it, where that one waits too. */
  readonly behind: string | null;
}

/** A statement that is posted. */
export interface Chained {
  readonly on: string;
  /** Null where it states no balances. */
  readonly opening: bigint | null;
  readonly closing: bigint | null;
  /** What its lines came to. */
  readonly moved: bigint;
}

/** Where the account stands. */
export type ChainEnd = Pick<BankAccount, 'balance' | 'chainedOn' | 'underWay'>;

/** Whether a statement is the next one of the account. */
export function goesOn(
  { balance, chainedOn, underWay }: ChainEnd,
  { opening, on }: { readonly opening: bigint; readonly on: string | null },
): boolean {
  return underWay === 0 && opening === balance && !isBefore(chainedOn, on);
}

/** Whether statements of later days are released already. One without days is wherever it comes. */
export function isBefore(chainedOn: string | null, on: string | null): boolean {
  return chainedOn !== null && on !== null && on < chainedOn;
}

/** Ids of what is released next, in the order of the chain. `posted`: from the first day on which one waits, in any order. */
export function nextOfChain(end: ChainEnd, waiting: readonly Waiting[], posted: readonly Chained[]): readonly string[] {
  if (end.underWay > 0) return [];
  const sorted = waiting.toSorted(compareWaiting);
  const first = sorted.find((one) => goesOn(end, one) && isWhole(one, sorted, []));
  if (first !== undefined) return [first.id];
  const found = loopOf(end, sorted, posted) ?? daysOf(end, sorted, posted) ?? [];
  return found.map(({ id }) => id);
}

/** Some that lead back to where they begin. */
function loopOf(end: ChainEnd, sorted: readonly Waiting[], posted: readonly Chained[]): readonly Waiting[] | undefined {
  const steps = { left: STEPS_MAX };
  for (const start of sorted.filter(({ on }) => end.chainedOn !== null && on <= end.chainedOn))
    for (const place of placesOf(start, end, posted)) {
      if (start.opening !== place.balance || !isWhole(start, sorted, [])) continue;
      const until = sorted.filter(({ on }) => on <= place.until);
      const walk = walkBack({ among: until, to: place.balance, steps }, [start]);
      if (walk !== undefined) return walk;
    }
  return undefined;
}

/** Walks are short: what waits between two statements that are posted. */
const STEPS_MAX = 20_000;

interface Place {
  readonly balance: bigint;
  /** The last day of what may stand there. */
  readonly until: string;
}

/** Where the account stood on the day, or before it where nothing of it is posted. */
function* placesOf({ on }: Waiting, end: ChainEnd, posted: readonly Chained[]): Generator<Place> {
  let balance = end.balance;
  let until: string = end.chainedOn!;
  for (const one of posted) {
    if (one.on <= on) continue;
    balance -= one.moved;
    if (one.on < until) until = one.on;
  }
  yield { balance, until };
  for (const { opening, closing } of posted.filter((one) => one.on === on)) {
    if (opening !== null) yield { balance: opening, until: on };
    if (closing !== null) yield { balance: closing, until: on };
  }
}

interface Search {
  readonly among: readonly Waiting[];
  readonly to: bigint;
  readonly steps: { left: number };
}

/** From the end of `walk` back to a balance, over days that never fall. */
function walkBack(search: Search, walk: readonly Waiting[]): readonly Waiting[] | undefined {
  const last = walk.at(-1)!;
  if (last.closing === search.to) return walk;
  for (const one of search.among) {
    if (search.steps.left === 0) return undefined;
    if (one.opening !== last.closing || one.on < last.on || walk.includes(one)) continue;
    if (!isWhole(one, search.among, walk)) continue;
    search.steps.left -= 1;
    const found = walkBack(search, [...walk, one]);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** All up to a day, where its days are whole with them. */
function daysOf(end: ChainEnd, sorted: readonly Waiting[], posted: readonly Chained[]): readonly Waiting[] | undefined {
  const days = [...new Set(sorted.map(({ on }) => on))].filter((on) => end.chainedOn !== null && on <= end.chainedOn);
  for (const day of days.reverse()) {
    const until = sorted.filter(({ on }) => on <= day);
    if (until.every((one) => isWhole(one, sorted, until)) && areWalks(end, until, posted)) return until;
  }
  return undefined;
}

/** Whether each day is a walk from the balance before it, with those that wait among those that are posted. */
function areWalks({ balance }: ChainEnd, waiting: readonly Waiting[], posted: readonly Chained[]): boolean {
  const from = waiting[0]!.on;
  const later = posted.filter(({ on }) => on >= from);
  const before = later.reduce((sum, { moved }) => sum - moved, balance);
  let [start, was] = [before, before];
  for (const day of [...new Set([...waiting, ...later].map(({ on }) => on))].sort()) {
    const added = waiting.filter(({ on }) => on === day);
    const there = later.filter(({ on }) => on === day);
    const moved = there.reduce((sum, one) => sum + one.moved, 0n);
    // Nothing of the day changes.
    const isAsItWas = added.length === 0 && start === was;
    const end = added.reduce((sum, { opening, closing }) => sum + closing - opening, start + moved);
    if (
      !isAsItWas &&
      !isWalk([...there, ...added.map((one) => ({ ...one, moved: one.closing - one.opening }))], start, end)
    )
      return false;
    [start, was] = [end, was + moved];
  }
  return true;
}

/** Whether they can stand one behind the other: each balance is left as often as it is reached, and all hang together. */
function isWalk(statements: readonly Chained[], start: bigint, end: bigint): boolean {
  const left = new Map<bigint, number>([[start, -1]]);
  left.set(end, (left.get(end) ?? 0) + 1);
  const add = (balance: bigint, count: number) => left.set(balance, (left.get(balance) ?? 0) + count);
  const steps: { opening: bigint; closing: bigint }[] = [];
  for (const { opening, closing, moved } of statements) {
    // Without balances, or with a difference that two persons have accepted.
    if (opening === null || closing === null || closing - opening !== moved) return false;
    add(opening, 1);
    add(closing, -1);
    steps.push({ opening, closing });
  }
  if ([...left.values()].some((count) => count !== 0)) return false;
  const reached = new Set([start]);
  for (let size = 0; size < reached.size; ) {
    size = reached.size;
    for (const { opening, closing } of steps) if (reached.has(opening)) reached.add(closing);
  }
  return steps.every(({ opening }) => reached.has(opening));
}

/** A page stands behind the one before it. */
function isWhole({ behind }: Waiting, waiting: readonly Waiting[], before: readonly Waiting[]): boolean {
  return behind === null || before.some(({ id }) => id === behind) || !waiting.some(({ id }) => id === behind);
}

function compareWaiting(one: Waiting, other: Waiting): number {
  return (
    compareTexts(one.on, other.on) ||
    compareNumbers(one.number ?? '', other.number ?? '') ||
    (one.page ?? 0) - (other.page ?? 0) ||
    compareTexts(one.id, other.id)
  );
}

/** Digits by what they count, other texts as they are. */
function compareNumbers(one: string, other: string): number {
  if (!/^\d+$/.test(one) || !/^\d+$/.test(other)) return compareTexts(one, other);
  const [first, second] = [one.replace(/^0+/, ''), other.replace(/^0+/, '')];
  return first.length - second.length || compareTexts(first, second);
}

const compareTexts = (one: string, other: string) => (one === other ? 0 : one < other ? -1 : 1);

/** Rules that go by who stands on the other side, where a line names nothing. None goes by an amount alone. */
import { groupBy, type Ladder, plain, sumOf } from './ladder.ts';
import type { MatchItem, OpenLine } from './matching.ts';
import { isTakenBack, theOneNamed } from './rules-by-reference.ts';

/** Two lines of one account under one reference that cancel each other, or a line that takes back a credit that an account had received. */
export function byReversal(ladder: Ladder): void {
  for (const line of ladder.lines()) {
    const item = theOneNamed(ladder, line, 'bank_reference');
    if (item !== undefined && isTakenBack(item) && ladder.left(item.id) === line.amount)
      ladder.take({
        ...{ rule: 'reversal', lines: [line], items: [item] },
        reason: 'The bank took back under the same reference what it had credited.',
      });
  }
  const groups = groupBy(nameless(ladder), ({ bankAccountId, bankReference, currency, amount }) =>
    bankReference === null ? null : `${bankAccountId} ${currency} ${amount < 0n ? -amount : amount} ${bankReference}`,
  );
  for (const group of groups.values()) {
    const [into, out] = [group.filter(({ amount }) => amount > 0n), group.filter(({ amount }) => amount < 0n)];
    // With more of the one than of the other nobody knows which of them stands.
    if (into.length !== out.length) continue;
    for (const [index, one] of into.entries())
      ladder.take({
        ...{ rule: 'reversal', lines: group.filter((line) => line === one || line === out[index]), items: [] },
        reason: 'The bank took back under the same reference what it had booked.',
      });
  }
}

/** The same amount out of one own account and into another, under one reference, or between the accounts that the lines name. */
export function byOwnTransfer(ladder: Ladder): void {
  const groups = groupBy(nameless(ladder), ({ currency, amount }) => `${currency} ${amount < 0n ? -amount : amount}`);
  for (const lines of groups.values()) {
    const pairs = lines.flatMap((out) =>
      out.amount > 0n ? [] : lines.filter((into) => isTransfer(ladder, out, into)).map((into) => ({ out, into })),
    );
    for (const { outs, intos } of alikeOf(pairs))
      for (const [index, out] of outs.entries())
        ladder.take({
          ...{ rule: 'own_transfer', lines: [out, intos[index]!], items: [] },
          reason: 'Money moved between two own bank accounts.',
        });
  }
}

interface Pair {
  readonly out: OpenLine;
  readonly into: OpenLine;
}

/** Lines of which each could be the other side of each, as many out as in: any pairs of them are right. Others are left. */
function alikeOf(pairs: readonly Pair[]): { outs: readonly OpenLine[]; intos: readonly OpenLine[] }[] {
  const intosOf = new Map<OpenLine, OpenLine[]>();
  const outsOf = new Map<OpenLine, OpenLine[]>();
  for (const { out, into } of pairs) {
    intosOf.set(out, [...(intosOf.get(out) ?? []), into]);
    outsOf.set(into, [...(outsOf.get(into) ?? []), out]);
  }
  const isSame = (one: readonly OpenLine[], other: readonly OpenLine[]) =>
    one.length === other.length && one.every((line, index) => line === other[index]);
  return [...intosOf].flatMap(([out, intos]) => {
    const outs = outsOf.get(intos[0]!)!;
    const isWhole =
      outs[0] === out &&
      outs.length === intos.length &&
      outs.every((one) => isSame(intosOf.get(one)!, intos)) &&
      intos.every((one) => isSame(outsOf.get(one)!, outs));
    return isWhole ? [{ outs, intos }] : [];
  });
}

const TRANSFER_DAYS = 7;

function isTransfer(ladder: Ladder, out: OpenLine, into: OpenLine): boolean {
  if (into.amount !== -out.amount || into.bankAccountId === out.bankAccountId) return false;
  const days = (Date.parse(into.bookedOn) - Date.parse(out.bookedOn)) / 86_400_000;
  if (Math.abs(days) > TRANSFER_DAYS) return false;
  const same = (one: string | null, other: string | null) => one !== null && one === other;
  const { own } = ladder.rules;
  const of = (line: OpenLine) => own.get(plain(line.counterpartyAccount) ?? '');
  const isBetween = of(out) === into.bankAccountId && of(into) === out.bankAccountId;
  return same(out.bankReference, into.bankReference) || same(out.endToEndId, into.endToEndId) || isBetween;
}

/** Reports beyond that would be a search. */
const REPORTS_MAX = 200;

/** Consecutive reports of an acquirer that come to the amount of its line. Of equal lines: as many such runs as lines. */
export function bySequence(ladder: Ladder): void {
  const lines = groupBy(ofParty(ladder, 'sequence'), alikeKey);
  for (const found of lines.values()) {
    const { party } = found[0]!;
    const pairs = pairsOf(ladder, linesOf(found), (line) => runsFor(ladder, line, { party, amount: line.amount }));
    for (const { line, items } of pairs)
      ladder.take({
        ...{ rule: 'sequence', lines: [line], items },
        reason: `${items.length} consecutive reports of ${party} come to the amount of its line.`,
      });
  }
}

/** Runs of a party's reports within the window of the line that come to an amount. */
export function runsFor(
  ladder: Ladder,
  line: OpenLine,
  { party, amount }: { readonly party: string; readonly amount: bigint },
): MatchItem[][] {
  const reports = ladder
    .items()
    .filter((item) => item.party === party && item.currency === line.currency && ladder.isInWindow(line, item));
  return reports.length > REPORTS_MAX ? [] : runsOf(ladder, reports, amount);
}

const linesOf = (found: readonly OfParty[]) => found.map(({ line }) => line);

/** Lines of one party that nothing but their days shows apart. */
const alikeKey = ({ line, party }: OfParty) => `${line.bankAccountId} ${party} ${line.currency} ${line.amount}`;

/**
 * Lines that are alike and groups of items that each could be: as many groups as lines, no item in two of them, in the order of both. Fewer of either
 * leave open which are meant. A line beside which no group stands does not count.
 */
export function pairsOf(
  ladder: Ladder,
  lines: readonly OpenLine[],
  groupsFor: (line: OpenLine) => readonly (readonly MatchItem[])[],
): { readonly line: OpenLine; readonly items: readonly MatchItem[] }[] {
  const groups = new Map<string, readonly MatchItem[]>();
  const able = lines.flatMap((line) => {
    const own = new Map(groupsFor(line).map((items) => [items.map(({ id }) => id).join(' '), items]));
    for (const [key, items] of own) groups.set(key, items);
    return own.size === 0 ? [] : [{ line, keys: new Set(own.keys()) }];
  });
  if (able.length === 0 || groups.size !== able.length) return [];
  const shared = [...groups.values()].flat();
  if (new Set(shared).size !== shared.length) return [];
  const place = new Map(groups.size === 1 ? [] : ladder.all.map((item, index) => [item, index]));
  const placeOf = ([first]: readonly MatchItem[]) => place.get(first!) ?? 0;
  const sorted = [...groups].sort(([, one], [, other]) => placeOf(one) - placeOf(other));
  const fits = able.every(({ keys }, index) => keys.has(sorted[index]![0]));
  return fits ? able.map(({ line }, index) => ({ line, items: sorted[index]![1] })) : [];
}

function runsOf(ladder: Ladder, reports: readonly MatchItem[], amount: bigint): MatchItem[][] {
  const runs: MatchItem[][] = [];
  for (let from = 0; from < reports.length; from++) {
    let sum = 0n;
    for (let to = from; to < reports.length; to++) {
      sum += ladder.left(reports[to]!.id);
      if (sum === amount) runs.push(reports.slice(from, to + 1));
    }
  }
  return runs;
}

/** What a rail that settles net moved on one day. Of equal lines: as many such days as lines. */
export function byDay(ladder: Ladder): void {
  for (const found of groupBy(ofParty(ladder, 'day'), alikeKey).values()) {
    const { party } = found[0]!;
    const daysFor = (line: OpenLine) =>
      daysOf(ladder, line, party).flatMap(({ sum, items }) => (sum === line.amount ? [items] : []));
    for (const { line, items } of pairsOf(ladder, linesOf(found), daysFor))
      ladder.take({
        ...{ rule: 'day', lines: [line], items },
        reason: `${party} moved that net amount on ${items[0]!.expectedOn}.`,
      });
  }
}

export interface SettlementDay {
  readonly on: string;
  readonly items: readonly MatchItem[];
  readonly sum: bigint;
}

/** Those that are over when the line is booked, and that one: what a day comes to is known at its end. */
export function daysOf(ladder: Ladder, line: OpenLine, party: string): SettlementDay[] {
  const items = ladder
    .items()
    .filter(
      (item) =>
        item.party === party &&
        item.currency === line.currency &&
        item.expectedOn <= line.bookedOn &&
        ladder.isInWindow(line, item),
    );
  return [...groupBy(items, ({ expectedOn }) => expectedOn)].map(([on, ofDay]) => ({
    ...{ on, items: ofDay },
    sum: sumOf(ofDay.map(({ id }) => ladder.left(id))),
  }));
}

/**
 * Lines and items of one party and amount that meet within the window, as many of the one as of the other: they pair in order. Fewer of either
 * leave open which are meant.
 */
export function byAmountAndCounterparty(ladder: Ladder): void {
  const lines = groupBy(
    ofParty(ladder, 'single', 'reference'),
    ({ line, party }) => `${party} ${line.currency} ${line.amount}`,
  );
  const items = groupBy(ladder.items(), (item) => `${item.party} ${item.currency} ${ladder.left(item.id)}`);
  for (const [key, found] of lines) {
    const able = found.filter(({ line, settles }) => !ladder.isForeign(line, settles)).map(({ line }) => line);
    for (const meeting of meetings(ladder, able, items.get(key) ?? [])) {
      if (meeting.lines.length !== meeting.items.length) continue;
      for (const [index, line] of meeting.lines.entries())
        ladder.take({
          ...{ rule: 'amount_counterparty', lines: [line], items: [meeting.items[index]!] },
          reason: `${meeting.lines.length === 1 ? 'One line' : `${meeting.lines.length} lines`} of the party and as many items have this amount within the days in which they may meet.`,
        });
    }
  }
}

interface Meeting {
  readonly lines: OpenLine[];
  readonly items: MatchItem[];
}

/** What hangs together by windows. Where each line meets each item of its like, they are one. */
function meetings(ladder: Ladder, lines: readonly OpenLine[], items: readonly MatchItem[]): Meeting[] {
  const found: Meeting[] = [];
  const seen = new Set<OpenLine>();
  for (const first of lines) {
    if (seen.has(first)) continue;
    const meeting: Meeting = { lines: [], items: [] };
    const waiting = [first];
    seen.add(first);
    for (let line = waiting.shift(); line !== undefined; line = waiting.shift()) {
      meeting.lines.push(line);
      for (const item of items) {
        if (meeting.items.includes(item) || !ladder.isInWindow(line, item)) continue;
        meeting.items.push(item);
        for (const other of lines)
          if (!seen.has(other) && ladder.isInWindow(other, item)) {
            seen.add(other);
            waiting.push(other);
          }
      }
    }
    const isWhole = meeting.lines.every((line) => meeting.items.every((item) => ladder.isInWindow(line, item)));
    if (isWhole) found.push({ lines: inOrder(lines, meeting.lines), items: inOrder(items, meeting.items) });
  }
  return found;
}

function inOrder<One>(all: readonly One[], some: readonly One[]): One[] {
  return all.filter((one) => some.includes(one));
}

export interface OfParty {
  readonly line: OpenLine;
  readonly party: string;
  readonly settles: 'single' | 'reference' | 'day' | 'sequence';
}

/** Lines that name nothing, of a party that settles so. */
export function ofParty(ladder: Ladder, ...settles: readonly OfParty['settles'][]): OfParty[] {
  return unnamed(ladder).flatMap((line) => {
    const party = ladder.partyOf(line);
    if (party === undefined || !settles.includes(party.settles)) return [];
    return [{ line, party: party.party, settles: party.settles }];
  });
}

/** Lines that may cancel each other. */
function nameless(ladder: Ladder): OpenLine[] {
  return ladder.lines().filter((line) => ladder.namesNoItem(line));
}

function unnamed(ladder: Ladder): OpenLine[] {
  return ladder.lines().filter((line) => ladder.namesNothing(line));
}

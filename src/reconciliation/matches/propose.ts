/** What no rule confirms: why each line is left, and what it may be. */
import { isAlong, type Ladder, sumOf } from './ladder.ts';
import type { LeftKind, LeftLine, MatchItem, OpenLine, Proposal } from './matching.ts';
import { absolute } from './rules-by-difference.ts';
import { daysOf } from './rules-by-party.ts';
import { batchesOf } from './rules-by-reference.ts';

/** A person reads them. */
const PROPOSALS_MAX = 5;
const FILE_ITEMS_MAX = 100;

export function proposeAll(ladder: Ladder): LeftLine[] {
  const files = new Map(batchesOf(ladder).map(({ line, items }) => [line, items]));
  return ladder
    .lines()
    .map(
      (line) =>
        again(ladder, line) ??
        returned(ladder, line) ??
        differing(ladder, line, files.get(line)) ??
        left(line, { kind: kindOf(line), detail: 'No rule explains the line.', proposals: byAmount(ladder, line) }),
    );
}

interface Left {
  readonly kind: LeftKind;
  readonly detail: string;
  readonly proposals: readonly Proposal[];
}

function left({ id }: OpenLine, { kind, detail, proposals }: Left): LeftLine {
  return { lineId: id, kind, detail, proposals: proposals.slice(0, PROPOSALS_MAX) };
}

function kindOf({ amount }: OpenLine): LeftKind {
  return amount > 0n ? 'inbound_unallocated' : 'bank_line_unmatched';
}

/** It names what another line has matched. */
function again(ladder: Ladder, line: OpenLine): LeftLine | undefined {
  const named = ladder.namedAlong(line);
  if (named.length === 0 || line.amount > 0n || named.some(({ item }) => ladder.left(item.id) !== 0n)) return undefined;
  return left(line, {
    kind: 'bank_paid_twice',
    detail: 'The line names a movement that another line has shown already. Claim it from the bank.',
    proposals: [],
  });
}

/** It brings back a payout or a part of it, and the rail has not reported that. */
function returned(ladder: Ladder, line: OpenLine): LeftLine | undefined {
  const named = ladder.named(line);
  const [paid, ...others] = named.filter(({ item }) => item.direction === 'out');
  if (line.amount < 0n || paid === undefined || others.length > 0) return undefined;
  const back = named.filter(({ item }) => item.direction === 'in').map(({ item }) => item);
  // Of what the rail has reported, something is open: the line may be that.
  if (paid.by === 'details' || back.some(({ id }) => ladder.left(id) !== 0n)) return undefined;
  const { item, by } = paid;
  const rest = -item.whole - sumOf(back.map(({ whole }) => whole));
  if (rest <= 0n) return undefined;
  const what = item.resource.replaceAll('_', ' ');
  if (line.amount > rest)
    return left(line, {
      kind: 'bank_amount_differs',
      detail: `The line brings back ${line.amount} of the ${what}, and at most ${rest} ${line.currency} in minor units can come back.`,
      proposals: [],
    });
  return left(line, {
    kind: 'payout_returned_at_bank',
    detail: `The line brings back what left for the ${what}, and its party has reported no return.`,
    proposals: [{ rule: by, reason: 'The return of the item.', itemIds: [item.id], difference: line.amount }],
  });
}

/** It names an item, or stands beside the day of a rail, with another amount. */
function differing(ladder: Ladder, line: OpenLine, file: readonly MatchItem[] | undefined): LeftLine | undefined {
  const named = ladder.namedAlong(line).filter(({ item, by }) => by !== 'details' && ladder.left(item.id) !== 0n);
  const proposals = named.map(({ item, by }) => {
    const difference = line.amount - ladder.left(item.id);
    const reason = `The line names the item, and has ${difference === 0n ? 'its' : 'another'} amount.`;
    return { rule: by, itemIds: [item.id], difference, reason };
  });
  const all = named.length > 0 ? proposals : [...byDays(ladder, line), ...byFile(ladder, line, file)];
  if (all.length === 0) return undefined;
  const [{ difference }] = all as [Proposal];
  if (difference === 0n)
    return left(line, {
      kind: kindOf(line),
      detail:
        'The line has the amount that was expected, and no rule confirms it: it names something else too, or people have undone that match.',
      proposals: all,
    });
  return left(line, {
    kind: 'bank_amount_differs',
    detail: `The line differs by ${absolute(difference)} ${line.currency} in minor units from what was expected.`,
    proposals: all,
  });
}

function byDays(ladder: Ladder, line: OpenLine): Proposal[] {
  const party = ladder.partyOf(line);
  if (party?.settles !== 'day' || !ladder.namesNothing(line)) return [];
  return daysOf(ladder, line, party.party)
    .filter(({ sum }) => sum > 0n === line.amount > 0n)
    .map(({ on, items, sum }) => ({
      ...{ rule: 'day' as const, itemIds: items.map(({ id }) => id), difference: line.amount - sum },
      reason: `What ${party.party} moved on ${on}.`,
    }))
    .sort((one, other) => (absolute(one.difference) < absolute(other.difference) ? -1 : 1));
}

/** The file of ours that the bank booked with another amount. People match no more than some items by hand. */
function byFile(ladder: Ladder, line: OpenLine, items: readonly MatchItem[] | undefined): Proposal[] {
  if (items === undefined || items.length > FILE_ITEMS_MAX || line.details.length > 0) return [];
  const difference = line.amount - sumOf(items.map(({ id }) => ladder.left(id)));
  const reason = 'The line names the file of the items, and has another amount.';
  return [{ rule: 'batch', itemIds: items.map(({ id }) => id), difference, reason }];
}

/** Items of its amount within the window. A line that names something else has no such items. */
function byAmount(ladder: Ladder, line: OpenLine): Proposal[] {
  const party = ladder.partyOf(line);
  const isForeign = line.endToEndId !== null || !ladder.namesNoItem(line);
  if (isForeign) return [];
  const fits = (item: MatchItem) =>
    isAlong(item, line) &&
    item.currency === line.currency &&
    ladder.left(item.id) === line.amount &&
    ladder.isInWindow(line, item);
  return ladder
    .items()
    .filter((item) => fits(item) && (party === undefined || item.party === party.party))
    .map(({ id }) => ({
      ...{ itemIds: [id], difference: 0n },
      rule: party === undefined ? ('amount' as const) : ('amount_counterparty' as const),
      reason: party === undefined ? 'The amount alone.' : `The amount, of ${party.party}.`,
    }));
}

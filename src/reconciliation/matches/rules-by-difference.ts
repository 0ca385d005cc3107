/** Rules that explain a difference: charges that the line states, a tolerance, and lines that are a charge or interest as a whole. */
import { groupBy, type Ladder, plain, sumOf } from './ladder.ts';
import type { BookingRule, MatchItem, OpenLine } from './matching.ts';
import { daysOf, type OfParty, ofParty, pairsOf, runsFor } from './rules-by-party.ts';
import { batchesOf, itemsOfDetails, theOneNamed, toleranceOf } from './rules-by-reference.ts';

/** The line states charges that its amount includes, and differs by them from what it names, or from what its party alone could have moved. */
export function byCharges(ladder: Ladder): void {
  const charged = ladder.lines().filter((line) => chargesOf(line) !== 0n);
  if (charged.length === 0) return;
  const files = new Map(batchesOf(ladder).map(({ line, items }) => [line, items]));
  for (const line of charged) {
    const item = namedItem(ladder, line);
    const items = item === undefined ? (itemsOfDetails(ladder, line) ?? files.get(line)) : [item];
    if (items !== undefined && sumLeft(ladder, items) === beforeCharges(line)) takeCharged(ladder, line, items);
  }
  const unnamed = ofParty(ladder, 'single', 'reference', 'day', 'sequence').filter(
    ({ line }) => chargesOf(line) !== 0n,
  );
  const alike = groupBy(
    unnamed.filter(({ line, settles }) => !ladder.isForeign(line, settles)),
    ({ line, party }) => `${line.bankAccountId} ${party} ${line.currency} ${line.amount} ${chargesOf(line)}`,
  );
  for (const found of alike.values()) {
    const groupsFor = (line: OpenLine) => chargedGroups(ladder, { ...found[0]!, line });
    const lines = found.map(({ line }) => line);
    for (const { line, items } of pairsOf(ladder, lines, groupsFor)) takeCharged(ladder, line, items);
  }
}

/** Minor units that the bank took; positive. Charges that stand beside the amount, or in another currency, explain nothing of it. */
function chargesOf({ charges, currency }: OpenLine): bigint {
  const inside = charges.filter((one) => one.currency === currency && one.included !== false);
  return inside.reduce((sum, { amount }) => sum + BigInt(amount), 0n);
}

const beforeCharges = (line: OpenLine) => line.amount + chargesOf(line);

function sumLeft(ladder: Ladder, items: readonly MatchItem[]): bigint {
  return sumOf(items.map(({ id }) => ladder.left(id)));
}

function takeCharged(ladder: Ladder, line: OpenLine, items: readonly MatchItem[]): void {
  const to = items.every(({ resource }) => resource === 'acquirer_report') ? 'bank_charges' : 'rail_costs';
  ladder.take({
    ...{ rule: 'charges', lines: [line], items, difference: { to, amount: -chargesOf(line) } },
    reason: 'The line differs from what was expected by the charges that it states.',
  });
}

/** Where a party's line names nothing: what it could be within the window, as the party settles. */
function chargedGroups(ladder: Ladder, { line, party, settles }: OfParty): readonly (readonly MatchItem[])[] {
  const amount = beforeCharges(line);
  if (settles === 'sequence') return runsFor(ladder, line, { party, amount });
  if (settles === 'day')
    return daysOf(ladder, line, party).flatMap(({ sum, items }) => (sum === amount ? [items] : []));
  const fits = (item: MatchItem) =>
    item.party === party &&
    item.currency === line.currency &&
    ladder.left(item.id) === amount &&
    ladder.isInWindow(line, item);
  return ladder
    .items()
    .filter(fits)
    .map((item) => [item]);
}

function namedItem(ladder: Ladder, line: OpenLine): MatchItem | undefined {
  return theOneNamed(ladder, line, 'bank_reference', 'end_to_end_id', 'reference_in_text', 'reference_cut');
}

/** The line names the item, or stands alone beside one day of a rail that settles net, and differs by no more than the party may. */
export function byTolerance(ladder: Ladder): void {
  for (const line of ladder.lines()) {
    const item = namedItem(ladder, line);
    if (item !== undefined) takeWithin(ladder, line, [item]);
  }
  const lines = groupBy(ofParty(ladder, 'day'), ({ line, party }) => `${line.bankAccountId} ${party} ${line.currency}`);
  for (const [{ line, party }, ...others] of lines.values() as Iterable<[OfParty, ...OfParty[]]>) {
    const days = daysOf(ladder, line, party).filter(({ items, sum }) => isWithin(ladder, line, items, sum));
    if (others.length === 0 && days.length === 1) takeWithin(ladder, line, days[0]!.items);
  }
}

function isWithin(ladder: Ladder, line: OpenLine, items: readonly MatchItem[], sum: bigint): boolean {
  const difference = line.amount - sum;
  return (
    difference !== 0n && sum > 0n === line.amount > 0n && absolute(difference) <= toleranceOf(ladder, line, items[0]!)
  );
}

function takeWithin(ladder: Ladder, line: OpenLine, items: readonly MatchItem[]): void {
  const [first] = items as readonly [MatchItem];
  const sum = sumLeft(ladder, items);
  if (!isWithin(ladder, line, items, sum)) return;
  const { to } = ladder.rulesOf(line).tolerances.find((one) => one.party === first.party)!;
  ladder.take({
    ...{ rule: 'tolerance', lines: [line], items },
    difference: { to, amount: line.amount - sum },
    reason: `The line differs from what was expected by no more than ${toleranceOf(ladder, line, first)}.`,
  });
}

/** Charges and interest of the bank's: no item is expected of them. */
export function byBookingRule(ladder: Ladder): void {
  for (const line of ladder.lines()) {
    if (!ladder.namesNothing(line) || ladder.isForeign(line, ladder.partyOf(line)?.settles)) continue;
    const rule = ladder.rulesOf(line).bookings.find((one) => isMeant(one, line));
    if (rule === undefined) continue;
    ladder.take({
      ...{ rule: 'booking_rule', lines: [line], items: [] },
      difference: { to: rule.to, amount: line.amount },
      reason: `The rule ${rule.name} books such lines up to ${rule.amountMax}.`,
    });
  }
}

/** Where rules overlap, the first one counts whose limit the line keeps. */
function isMeant({ direction, code, text, counterparty, amountMax }: BookingRule, line: OpenLine): boolean {
  const has = (stated: string | null, wanted: string) => plain(stated)?.includes(plain(wanted)!) ?? false;
  return (
    (direction === 'in') === line.amount > 0n &&
    absolute(line.amount) <= amountMax &&
    (code === null || line.code === code || (line.code?.split('-').includes(code) ?? false)) &&
    (text === null || has(line.text, text)) &&
    (counterparty === null ||
      plain(line.counterpartyAccount) === plain(counterparty) ||
      has(line.counterpartyName, counterparty))
  );
}

export function absolute(amount: bigint): bigint {
  return amount < 0n ? -amount : amount;
}

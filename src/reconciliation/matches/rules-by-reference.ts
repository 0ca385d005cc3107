/** Rules that go by what a line names. Each needs the amount too: a reference alone confirms nothing. */
import { groupBy, isAlong, type Ladder, sumOf } from './ladder.ts';
import type { MatchItem, OpenLine } from './matching.ts';
import { batchNames, type NamedBy } from './named-items.ts';

/** The bank's own reference, where one line has it, or one of them is the credit of a book: a reference that several share is that of something else. */
export function byBankReference(ladder: Ladder): void {
  const lines = groupBy(ladder.lines(), ({ bankAccountId, bankReference }) =>
    bankReference === null ? null : `${bankAccountId} ${bankReference}`,
  );
  for (const group of lines.values()) {
    const line = group.length === 1 ? group[0] : (creditOfABook(group) ?? creditTakenBack(ladder, group));
    if (line === undefined) continue;
    const item = theOneNamed(ladder, line, 'bank_reference');
    if (item !== undefined && !isTakenBack(item) && ladder.left(item.id) === line.amount)
      ladder.take({
        ...{ rule: 'bank_reference', lines: [line], items: [item] },
        reason: 'The bank names the movement by the reference that the party stated.',
      });
  }
}

/** The one line of which a book has the credit: whatever else has the reference, that line shows it. */
function creditOfABook(group: readonly OpenLine[]): OpenLine | undefined {
  const [credit, ...others] = group.filter(({ awaits = [] }) => awaits.length > 0);
  return others.length === 0 ? credit : undefined;
}

/** Of a credit and the line that takes it back, where the transfer and its return are both expected: the credit. */
function creditTakenBack(ladder: Ladder, group: readonly OpenLine[]): OpenLine | undefined {
  const credit = group.find(({ amount }) => amount > 0n);
  const taken = group.find(({ amount }) => amount < 0n);
  if (group.length > 2 || credit === undefined || taken?.amount !== -credit.amount) return undefined;
  const isReturned = ladder
    .namedAlong(taken)
    .some(({ item }) => isTakenBack(item) && ladder.left(item.id) === taken.amount);
  return isReturned ? credit : undefined;
}

/** The return of a transfer: the bank takes under the reference of its credit. */
export function isTakenBack({ resource, direction }: MatchItem): boolean {
  return resource === 'inbound_transfer' && direction === 'out';
}

/** Lines with one end-to-end id pair with its items of the same amount, in order. Fewer lines than items: nobody knows which. */
export function byEndToEndId(ladder: Ladder): void {
  const groups = groupBy(ladder.lines(), ({ endToEndId, currency, amount }) =>
    endToEndId === null ? null : `${currency} ${amount} ${endToEndId}`,
  );
  for (const lines of groups.values()) {
    const items = new Set<MatchItem>();
    for (const line of lines)
      for (const { item, by } of ladder.namedAlong(line))
        if (by === 'end_to_end_id' && !item.isPartly && ladder.left(item.id) === line.amount) items.add(item);
    if (items.size > lines.length) continue;
    const able = new Set(lines.filter((line) => isOfOneMind(ladder, line, 'end_to_end_id')));
    for (const item of items) {
      const line = [...able].find((one) => !ladder.isUndone({ lines: [one], items: [item] }));
      if (line === undefined) continue;
      able.delete(line);
      ladder.take({
        ...{ rule: 'end_to_end_id', lines: [line], items: [item] },
        reason: 'The line has the end-to-end id and the amount of the item.',
      });
    }
  }
}

/** One of ours in a text, or the documents that a text names, whose amounts come to the line's. */
export function byReferenceInText(ladder: Ladder): void {
  for (const line of ladder.lines()) {
    const named = ladder.namedAlong(line);
    const open = named.filter(({ item }) => ladder.left(item.id) !== 0n).map(({ item }) => item);
    if (open.length === 0 || open.length < named.length || named.some(({ by }) => by !== 'reference_in_text')) continue;
    if (line.endToEndId !== null && open.some((item) => item.endToEndId !== null)) continue;
    const lefts = open.map(({ id }) => ladder.left(id));
    if (new Set(open.map(({ party }) => party)).size > 1 || sumOf(lefts) !== line.amount) continue;
    ladder.take({
      ...{ rule: 'reference_in_text', lines: [line], items: open },
      reason: 'The text of the line has the reference of what was expected, and its amount is the same.',
    });
  }
}

/** The beginning of a reference, cut by a bank, that no other reference has. */
export function byReferenceCut(ladder: Ladder): void {
  for (const line of ladder.lines()) {
    const item = theOneNamed(ladder, line, 'reference_cut');
    if (item !== undefined && ladder.left(item.id) === line.amount)
      ladder.take({
        ...{ rule: 'reference_cut', lines: [line], items: [item] },
        reason: 'The line has the beginning of the reference of one item alone, and its amount.',
      });
  }
}

/** The movements that the bank states of one line: each names an item by its end-to-end id and has its amount, and together they are the line. */
export function byDetails(ladder: Ladder): void {
  for (const line of ladder.lines()) {
    if (line.details.length === 0 || detailsSum(line) !== line.amount) continue;
    const items = itemsOfDetails(ladder, line);
    if (items === undefined) continue;
    ladder.take({
      ...{ rule: 'details', lines: [line], items },
      reason: `The bank states ${items.length} movements of the line, and each has the end-to-end id and the amount of an item.`,
    });
  }
}

/** The items of the movements that the bank states of a line, where each is one. */
export function itemsOfDetails(ladder: Ladder, line: OpenLine): readonly MatchItem[] | undefined {
  const named = ladder.named(line);
  if (line.details.length === 0 || named.some(({ by }) => by !== 'details')) return undefined;
  const byId = groupBy(named, ({ item }) => item.endToEndId);
  const items = line.details.map(({ endToEndId, amount }) => {
    const able = (byId.get(endToEndId ?? '') ?? []).filter(({ item }) => ladder.left(item.id) === BigInt(amount));
    return able.length === 1 ? able[0]!.item : undefined;
  });
  const whole = items.filter((item) => item !== undefined);
  return whole.length < items.length || new Set(whole).size < whole.length ? undefined : whole;
}

function detailsSum({ details }: OpenLine): bigint {
  return sumOf(details.map(({ amount }) => BigInt(amount)));
}

/** All items of a file of ours that the bank booked as one. */
export function byBatch(ladder: Ladder): void {
  for (const { line, items } of batchesOf(ladder)) {
    if (sumOf(items.map(({ id }) => ladder.left(id))) !== line.amount) continue;
    ladder.take({
      ...{ rule: 'batch', lines: [line], items },
      reason: `The bank booked a file of ${items.length} movements as one, and they come to its amount.`,
    });
  }
}

/** Lines that alone name a file of ours, each with all of its items the same way. None of them is shown yet, and the bank counts as many. */
export function batchesOf(ladder: Ladder): { readonly line: OpenLine; readonly items: readonly MatchItem[] }[] {
  const keyOf = (currency: string, batchId: string) => `${currency} ${batchId}`;
  const files = groupBy(ladder.all, ({ batchId, currency }) => (batchId === null ? null : keyOf(currency, batchId)));
  if (files.size === 0) return [];
  const nameOf = (line: OpenLine) => {
    const keys = batchNames(line).map((one) => keyOf(line.currency, one));
    const known = [...new Set(keys.filter((key) => files.has(key)))];
    return known.length === 1 ? known[0]! : null;
  };
  return [...groupBy(ladder.lines(), nameOf)].flatMap(([key, [line, ...others]]) => {
    // What it states of its movements is not what it booked: nobody knows which of the two is right.
    const differs = line!.details.length > 0 && detailsSum(line!) !== line!.amount;
    const items = files.get(key)!.filter((item) => isAlong(item, line!));
    const isWhole = items.length > 0 && items.every(({ id }) => ladder.left(id) !== 0n);
    const isCounted = line!.batchTransactions === null || line!.batchTransactions === items.length;
    return others.length > 0 || differs || !isWhole || !isCounted ? [] : [{ line: line!, items }];
  });
}

/** Less than an item, under its end-to-end id: a part of it, or the rest. What charges or a tolerance explain is no part. */
export function bySplit(ladder: Ladder): void {
  for (const line of ladder.lines()) {
    const item = theOneNamed(ladder, line, 'end_to_end_id');
    if (item === undefined || line.charges.length > 0) continue;
    const left = ladder.left(item.id);
    const rest = left < 0n ? line.amount - left : left - line.amount;
    const isLast = rest === 0n && (item.isPartly || left !== item.amount);
    if (!isLast && rest <= toleranceOf(ladder, line, item)) continue;
    ladder.take({
      ...{ rule: 'split', lines: [line], items: [item], part: line.amount },
      reason: 'The line has the end-to-end id of the item, and a part of its amount.',
    });
  }
}

export function toleranceOf(ladder: Ladder, line: OpenLine, { party }: MatchItem): bigint {
  return ladder.rulesOf(line).tolerances.find((one) => one.party === party)?.amount ?? 0n;
}

/** The one item that the line names, by that reference, with something left of it. A line that names two things names none. */
export function theOneNamed(ladder: Ladder, line: OpenLine, ...by: readonly NamedBy[]): MatchItem | undefined {
  const named = ladder.namedAlong(line);
  const [first, ...others] = named;
  if (first === undefined || others.length > 0 || !by.includes(first.by)) return undefined;
  return ladder.left(first.item.id) === 0n ? undefined : first.item;
}

/** Whether every reference of the line names the same. */
function isOfOneMind(ladder: Ladder, line: OpenLine, by: NamedBy): boolean {
  return ladder.namedAlong(line).every((named) => named.by === by);
}

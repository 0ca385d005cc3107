/** What the rules of a run share: lines and items in one order, what is left of each, and what a line names. */
import { addBusinessDays, isBusinessDay } from '../../calendar/business-days.ts';
import { addDays } from '../../calendar/day.ts';
import type { Uuid } from '../../values/ids.ts';
import type { PartyAtBank } from '../accounts/bank-account.ts';
import {
  type AccountRules,
  type Difference,
  type Match,
  type MatchInput,
  type MatchItem,
  type MatchingRules,
  matchKey,
  type OpenLine,
  type Rule,
} from './matching.ts';
import { type NamedItem, NamedItems, statesOurs } from './named-items.ts';

export class Ladder {
  readonly rules: MatchingRules;
  readonly matches: Match[] = [];
  /** Every item, in order. */
  readonly all: readonly MatchItem[];
  readonly #lines: ReadonlyMap<Uuid, OpenLine>;
  readonly #left: Map<Uuid, bigint>;
  readonly #leftLines: Set<Uuid>;
  readonly #named = new Map<Uuid, readonly NamedItem[]>();
  readonly #undone: ReadonlySet<string>;
  readonly #windows = new Map<string, { readonly from: string; readonly to: string }>();

  constructor({ lines, items, rules, undone = new Set() }: MatchInput) {
    this.rules = rules;
    this.#undone = undone;
    this.all = [...items].sort(compareItems);
    const sorted = [...lines].filter(({ amount }) => amount !== 0n).sort(compareLines);
    this.#lines = new Map(sorted.map((line) => [line.id, line]));
    this.#leftLines = new Set(this.#lines.keys());
    this.#left = new Map(this.all.map(({ id, amount }) => [id, amount]));
    const named = new NamedItems(this.all);
    for (const line of sorted) this.#named.set(line.id, named.namedBy(line));
  }

  /** Lines that no rule has matched, in order. */
  lines(): OpenLine[] {
    return [...this.#leftLines].map((id) => this.#lines.get(id)!);
  }

  isLeft(line: OpenLine): boolean {
    return this.#leftLines.has(line.id);
  }

  /** Items of which something is open, in order. */
  items(): MatchItem[] {
    return this.all.filter(({ id }) => this.left(id) !== 0n);
  }

  left(itemId: Uuid): bigint {
    return this.#left.get(itemId)!;
  }

  named(line: OpenLine): readonly NamedItem[] {
    return this.#named.get(line.id)!;
  }

  /** Those that the line names and that move money the same way, open or not. */
  namedAlong(line: OpenLine): readonly NamedItem[] {
    return this.named(line).filter(({ item }) => isAlong(item, line));
  }

  /** Whether it names no item, so that it may cancel another line. */
  namesNoItem(line: OpenLine): boolean {
    return this.named(line).length === 0;
  }

  /** Whether it names nothing, so that a rule without references may look at it. An id of ours names a payment, known here or not. */
  namesNothing(line: OpenLine): boolean {
    return this.namesNoItem(line) && !statesOurs(line);
  }

  rulesOf({ bankAccountId }: OpenLine): AccountRules {
    return this.rules.accounts.get(bankAccountId)!;
  }

  /** The one party whose account or name the line states. */
  partyOf(line: OpenLine): PartyAtBank | undefined {
    const account = plain(line.counterpartyAccount);
    const names = spellingsOf(line.counterpartyName);
    const { parties } = this.rulesOf(line);
    const byAccount = parties.filter(
      ({ accounts }) => account !== null && accounts.some((one) => plain(one) === account),
    );
    const found =
      byAccount.length > 0
        ? byAccount
        : parties.filter((party) => party.names.some((one) => spellingsOf(one).some((two) => names.includes(two))));
    return found.length === 1 ? found[0] : undefined;
  }

  /** A reference of somebody else's, where the party returns ours. */
  isForeign(line: OpenLine, settles: PartyAtBank['settles'] | undefined): boolean {
    return settles === 'single' && line.endToEndId !== null && this.namesNothing(line);
  }

  isInWindow(line: OpenLine, item: MatchItem): boolean {
    const { from, to } = this.windowOf(line, item);
    return from <= line.bookedOn && line.bookedOn <= to;
  }

  windowOf(line: OpenLine, { expectedOn }: MatchItem) {
    const { calendar, window } = this.rulesOf(line);
    const key = `${calendar} ${window.before} ${window.after} ${expectedOn}`;
    let known = this.#windows.get(key);
    if (known === undefined) {
      let from = expectedOn;
      for (let left = window.before; left > 0; ) {
        from = addDays(from, -1);
        if (isBusinessDay(from, calendar)) left -= 1;
      }
      known = { from, to: addBusinessDays(expectedOn, window.after, calendar) };
      this.#windows.set(key, known);
    }
    return known;
  }

  /** Whether people have undone that match. */
  isUndone({ lines, items, difference = null }: Pick<Taken, 'lines' | 'items' | 'difference'>): boolean {
    return this.#undone.size > 0 && this.#undone.has(matchKey({ lines, items, difference }));
  }

  /**
   * Keeps a match, unless people have undone it, or a book has one of its lines and none of its items: its lines are left to people. What of the items is
   * not theirs to give is a bug.
   */
  take(match: Taken): void {
    const { rule, reason, lines, items, difference = null } = match;
    if (this.isUndone(match) || lines.some((line) => isOfABook(line, items))) return;
    const parts = items.map((item) => ({
      id: item.id,
      amount: match.part !== undefined && items.length === 1 ? match.part : this.left(item.id),
    }));
    for (const { id, amount } of parts) this.#left.set(id, this.left(id) - amount);
    for (const { id } of lines) this.#leftLines.delete(id);
    this.matches.push({
      ...{ rule, reason, items: parts, difference },
      lines: lines.map(({ id, amount }) => ({ id, amount })),
    });
  }
}

interface Taken {
  readonly rule: Rule;
  readonly reason: string;
  readonly lines: readonly OpenLine[];
  readonly items: readonly MatchItem[];
  /** Of the one item, where it is not all that is left of it. */
  readonly part?: bigint;
  readonly difference?: Difference | null;
}

/** Whether a book has the line by its credit, and none of the items shows that. */
function isOfABook({ awaits = [] }: OpenLine, items: readonly MatchItem[]): boolean {
  return awaits.length > 0 && !items.some(({ resourceId }) => awaits.includes(resourceId));
}

export function isAlong({ direction }: MatchItem, { amount }: OpenLine): boolean {
  return (direction === 'in') === amount > 0n;
}

export function sumOf(amounts: readonly bigint[]): bigint {
  return amounts.reduce((sum, one) => sum + one, 0n);
}

/** In groups by a key, in the order in which the first of each stands. */
export function groupBy<One>(all: readonly One[], keyOf: (one: One) => string | null): Map<string, One[]> {
  const groups = new Map<string, One[]>();
  for (const one of all) {
    const key = keyOf(one);
    if (key === null) continue;
    const known = groups.get(key);
    if (known === undefined) groups.set(key, [one]);
    else known.push(one);
  }
  return groups;
}

export function plain(text: string | null): string | null {
  return text === null ? null : text.replace(/\s+/g, '').toUpperCase();
}

const UMLAUTS: Readonly<Record<string, string>> = { Ä: 'AE', Ö: 'OE', Ü: 'UE' };

/**
 * A name as banks may write it: without blanks, punctuation and accents, which many of their formats cannot carry. German ones write an umlaut as two
 * letters, others leave its dots out. None of a text without letters and digits.
 */
function spellingsOf(name: string | null): readonly string[] {
  const upper = (name ?? '').normalize('NFC').toUpperCase();
  const written = [upper, upper.replace(/[ÄÖÜ]/g, (letter) => UMLAUTS[letter]!)];
  const bare = written.map((one) => one.normalize('NFKD').replace(/[^\p{L}\p{N}]/gu, ''));
  return [...new Set(bare)].filter((one) => one !== '');
}

type Facts = readonly (string | number | bigint | null)[];

/** By what they state, so that the order of files and rows does not count. */
function compareLines(one: OpenLine, other: OpenLine): number {
  const facts = (line: OpenLine): Facts => [
    ...[line.bookedOn, line.amount, line.bankReference, line.endToEndId, line.text],
    ...[line.counterpartyAccount, line.place, line.id],
  ];
  return compare(facts(one), facts(other));
}

/** Reports of a day in the order in which they came, which their ids have: an acquirer pays consecutive ones. Others by what they state. */
function compareItems(one: MatchItem, other: MatchItem): number {
  const facts = (item: MatchItem): Facts => [
    ...[item.expectedOn, item.resource === 'acquirer_report' ? item.resourceId : null],
    ...[item.amount, item.endToEndId, item.bankReference, item.documentReference, item.resourceId, item.id],
  ];
  return compare(facts(one), facts(other));
}

function compare(one: Facts, other: Facts): number {
  for (const [index, a] of one.entries()) {
    const b = other[index]!;
    if (a === b) continue;
    if (a === null) return -1;
    if (b === null) return 1;
    return a < b ? -1 : 1;
  }
  return 0;
}

/**
 * What entries add up to, account by account, as they go by: what stood on each before the first day, what the days moved, what takes effect
 * later. Writer and verifier of a pack fold with it: the writer compares the result with the digest of the period, which is found by halves.
 * In memory are accounts, and not entries.
 */
import { dayOf } from '../calendar/day.ts';
import type { Instant } from '../values/clock.ts';
import type { Uuid } from '../values/ids.ts';

export interface Sums {
  debits: bigint;
  credits: bigint;
}

/** A line of an account, as an entry has it. */
export interface FoldedLine {
  readonly account: Uuid;
  readonly currency: string;
  readonly side: 'debit' | 'credit';
  readonly amount: bigint;
  readonly line: bigint;
  readonly balanceAfter: bigint;
}

export interface FoldedAccount {
  readonly currency: string;
  /** The day on which its first line was posted. */
  readonly since: string;
  lines: bigint;
  /** Debits less credits of all lines. */
  posted: bigint;
  /** Debits less credits by effect: what stood before the first day, and at the end of the last. */
  opening: bigint;
  closing: bigint;
  /** Of the days. */
  readonly moved: Sums;
  /** By day behind the last one, what takes effect then. */
  readonly later: Map<string, Sums>;
}

export interface FoldedDays {
  readonly from: string;
  readonly through: string;
}

/** What a line does not fit: the number or the balance that the account has. Null where it fits. */
export type Misfit = { readonly expected: string; readonly actual: string } | null;

export class JournalFold {
  readonly accounts = new Map<Uuid, FoldedAccount>();
  readonly #days: FoldedDays;

  constructor(days: FoldedDays) {
    this.#days = days;
  }

  /** What stood on an account at the end of the day before the first, and how far its lines had come. */
  open(account: Uuid, opened: { currency: string; since: string; lines: bigint; standing: bigint }): void {
    const { standing, ...of } = opened;
    const sums = { posted: standing, opening: standing, closing: standing };
    this.accounts.set(account, { ...of, ...sums, moved: { debits: 0n, credits: 0n }, later: new Map() });
  }

  /** What entries of the pack before move on a later day. */
  carry(account: Uuid, on: string, { debits, credits }: Sums): void {
    const of = this.accounts.get(account)!;
    of.posted += debits - credits;
    this.#move(of, on, { debits, credits });
  }

  add(
    line: FoldedLine,
    { postedOn, effectiveOn }: { readonly postedOn: string; readonly effectiveOn: string },
  ): Misfit {
    let of = this.accounts.get(line.account);
    if (of === undefined) {
      this.open(line.account, { currency: line.currency, since: postedOn, lines: 0n, standing: 0n });
      of = this.accounts.get(line.account)!;
    }
    const sums = line.side === 'debit' ? { debits: line.amount, credits: 0n } : { debits: 0n, credits: line.amount };
    of.lines += 1n;
    of.posted += sums.debits - sums.credits;
    this.#move(of, effectiveOn, sums);
    if (of.currency !== line.currency) return { expected: of.currency, actual: line.currency };
    if (of.lines !== line.line) return { expected: `line ${of.lines}`, actual: `line ${line.line}` };
    // Whether the account grows by debits is not known here.
    const size = of.posted < 0n ? -of.posted : of.posted;
    const stated = line.balanceAfter < 0n ? -line.balanceAfter : line.balanceAfter;
    return size === stated ? null : { expected: `a balance of ${size}`, actual: `one of ${stated}` };
  }

  #move(of: FoldedAccount, on: string, { debits, credits }: Sums): void {
    const { from, through } = this.#days;
    const change = debits - credits;
    if (on < from) of.opening += change;
    if (on <= through) of.closing += change;
    if (on >= from && on <= through) addTo(of.moved, { debits, credits });
    if (on <= through) return;
    const sums = of.later.get(on) ?? { debits: 0n, credits: 0n };
    addTo(sums, { debits, credits });
    of.later.set(on, sums);
  }
}

function addTo(sums: Sums, { debits, credits }: Sums): void {
  sums.debits += debits;
  sums.credits += credits;
}

/**
 * Days of instants in order: neighbours are of one day, as a rule. Time zones change their offset, and days begin, at whole quarters of an
 * hour since 1970.
 */
export class DayFinder {
  readonly #timeZone: string;
  #quarter = Number.NaN;
  #day = '';

  constructor(timeZone: string) {
    this.#timeZone = timeZone;
  }

  of(instant: Instant): string {
    const quarter = Math.floor(instant / QUARTER_MS);
    if (quarter !== this.#quarter) {
      this.#day = dayOf(instant, this.#timeZone);
      this.#quarter = quarter;
    }
    return this.#day;
  }
}

const QUARTER_MS = 900_000;

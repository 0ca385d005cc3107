/** The rows of one account in the general ledger, whose lines come in parts. */
import { dayOf } from '../../calendar/day.ts';
import { publicId, resourceReference, type Uuid } from '../../values/ids.ts';
import type { ChartEntry } from './chart.ts';
import { FigureContradicted, type FigureOrigin, type Row } from './figures.ts';
import type { LedgerLine } from './ledger-lines-store.ts';

/** Behind which lines a writer goes on. */
export interface LedgerPlace {
  readonly id: Uuid;
  /** The last one that counts by the day of its posting. */
  readonly line: bigint;
  /** On the account's own side. */
  readonly balance: bigint;
  /** Of lines that take effect on another day, the last one by that day. */
  readonly other: { readonly day: string; readonly line: bigint } | null;
}

interface Day {
  readonly on: string;
  /** A writer goes on before a day that is not whole. */
  readonly before: LedgerPlace;
  last: bigint;
  debit: bigint;
  credit: bigint;
  balance: bigint;
}

/** What a row has of a line or a day; the rest is null. */
interface Shown {
  readonly posted_on?: string;
  readonly effective_on?: string;
  readonly line?: number;
  readonly step?: string;
  readonly resource?: string;
  readonly resource_id?: string;
  readonly journal_entry?: string;
  readonly counter_account?: string;
  readonly debit?: bigint;
  readonly credit?: bigint;
  readonly balance?: bigint;
}

export class AccountLedger {
  readonly #entry: ChartEntry;
  readonly #timeZone: string;
  readonly #perDay: boolean;
  readonly #byEffect: boolean;
  readonly #account: string;
  #at: LedgerPlace;
  /** Its opening is written. */
  #begun = false;
  /** Of rows by day: a day of which lines may come. */
  #day: Day | undefined;

  constructor(
    { book, asked }: FigureOrigin,
    entry: ChartEntry,
    opening: { readonly balance: bigint; readonly line: bigint },
  ) {
    this.#entry = entry;
    this.#timeZone = book.timeZone;
    this.#perDay = asked.detail === 'day';
    this.#byEffect = asked.axis === 'effective';
    this.#account = publicId('account', entry.id);
    this.#at = { id: entry.id, line: opening.line, balance: opening.balance, other: null };
  }

  get id(): Uuid {
    return this.#entry.id;
  }

  /** Behind rows that another writer has written. */
  goOn(at: LedgerPlace): void {
    this.#at = at;
    this.#begun = true;
  }

  reached(): LedgerPlace {
    return this.#day?.before ?? this.#at;
  }

  /** Lines by the day of their posting, up to `through`. On the axis of effect, those of other days are left out. */
  take(lines: readonly LedgerLine[], through: bigint): Row[] {
    const rows = this.begin();
    for (const line of lines) if (!this.#byEffect || isOfOneDay(line, this.#timeZone)) rows.push(...this.add(line));
    if (this.#day === undefined) this.#at = { ...this.#at, line: through };
    if (through === this.#entry.line) rows.push(...this.end());
    return rows;
  }

  /** The row of what stood there, where none is written yet. */
  begin(): Row[] {
    if (this.#begun) return [];
    this.#begun = true;
    return [this.#row({ step: 'opening' })];
  }

  add(line: LedgerLine): Row[] {
    const before = this.#at;
    const { direction, amount, balanceAfter, movedTo } = line;
    const balance = before.balance + (direction === this.#entry.side ? amount : -amount);
    // By days of effect, lines are in another order than that of their balances.
    if (!this.#byEffect && balance !== balanceAfter) throw this.#contradicted(balance, balanceAfter);
    this.#at = {
      id: before.id,
      line: movedTo === undefined ? line.line : before.line,
      balance,
      other: movedTo === undefined ? before.other : { day: movedTo, line: line.line },
    };
    return this.#perDay ? this.#addToDay(line, before) : [this.#rowOf(line)];
  }

  /** Throws FigureContradicted where the lines do not come to what stands there. */
  end(): Row[] {
    const rows = this.#endDay();
    const { balance } = this.#at;
    if (balance !== this.#entry.posted) throw this.#contradicted(balance, this.#entry.posted);
    this.#at = { ...this.#at, line: this.#entry.line };
    return rows;
  }

  #addToDay(line: LedgerLine, before: LedgerPlace): Row[] {
    const on = line.movedTo ?? dayOf(line.postedAt, this.#timeZone);
    const ended = this.#day !== undefined && this.#day.on !== on ? this.#endDay() : [];
    this.#day ??= { on, before, last: line.line, debit: 0n, credit: 0n, balance: 0n };
    this.#day.last = line.line;
    this.#day[line.direction] += line.amount;
    this.#day.balance = this.#at.balance;
    return ended;
  }

  #endDay(): Row[] {
    if (this.#day === undefined) return [];
    const { on, last, debit, credit, balance } = this.#day;
    this.#day = undefined;
    const place = this.#byEffect ? { effective_on: on } : { posted_on: on, line: Number(last) };
    return [this.#row({ ...place, debit, credit, balance })];
  }

  #rowOf(line: LedgerLine): Row {
    const { direction, amount } = line;
    const postedOn = dayOf(line.postedAt, this.#timeZone);
    return this.#row({
      posted_on: postedOn,
      effective_on: line.effectiveAt === line.postedAt ? postedOn : dayOf(line.effectiveAt, this.#timeZone),
      line: Number(line.line),
      step: line.step,
      resource: line.resource,
      resource_id: resourceReference(line.resource, line.resourceId),
      journal_entry: publicId('entry', line.entryId),
      counter_account: publicId('account', line.counterAccountId),
      debit: direction === 'debit' ? amount : 0n,
      credit: direction === 'credit' ? amount : 0n,
    });
  }

  /** One literal, so that all rows have one shape: spreads of a million rows took a third of an export. */
  #row(has: Shown): Row {
    const { currency, named } = this.#entry;
    return {
      currency,
      code: named.code,
      name: named.name,
      type: named.type,
      account: this.#account,
      posted_on: has.posted_on ?? null,
      effective_on: has.effective_on ?? null,
      line: has.line ?? null,
      step: has.step ?? null,
      resource: has.resource ?? null,
      resource_id: has.resource_id ?? null,
      journal_entry: has.journal_entry ?? null,
      counter_account: has.counter_account ?? null,
      debit: has.debit ?? 0n,
      credit: has.credit ?? 0n,
      balance: has.balance ?? this.#at.balance,
    };
  }

  #contradicted(computed: bigint, stands: bigint): FigureContradicted {
    return new FigureContradicted(
      `Of ${publicId('account', this.id)}, what stood there and its lines come to ${computed}; ${stands} stands there. Run \`npm run verify\`.`,
    );
  }
}

/** It takes effect on the day on which it was posted. */
export function isOfOneDay({ postedAt, effectiveAt }: LedgerLine, timeZone: string): boolean {
  return postedAt === effectiveAt || dayOf(postedAt, timeZone) === dayOf(effectiveAt, timeZone);
}

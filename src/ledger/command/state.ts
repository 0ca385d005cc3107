/**
 * The state of one book during one batch: the union of the rows that its commands named, loaded once, with the changes
 * of the batch's earlier commands. Decisions read the state; only the batch applies outcomes to it.
 */
import { EARLIEST_FORMS, type LedgerForms } from '../../db/forms.ts';
import type { Uuid } from '../../values/ids.ts';
import type { Account } from '../account/account.ts';
import { accounts } from '../account/account-table.ts';
import type { Book } from '../book/book.ts';

import type { Entry } from '../entry/entry.ts';
import type { Delivery, KeptEvent, Subscriber } from '../events/event.ts';
import type { Log, Table } from '../rows/table.ts';
import type { JobRow, LogAppend, Outcome, Touch } from './outcome.ts';

/** One id of a table, as the batch knows it. */
interface Slot {
  /** Undefined when no row exists. */
  row: unknown;
  /** Whether the row existed in the database when the batch began. */
  loaded: boolean;
  dirty: boolean;
}

type TableState = Map<string, Slot>;

export interface RowWrites {
  table: Table<unknown>;
  inserted: unknown[];
  updated: unknown[];
}

export class BookState {
  /** Id of the batch that wrote the book before this one. */
  readonly after: Uuid;
  /** The book as the batch found it. */
  readonly #began: Book;
  readonly #tables = new Map<Table<unknown>, TableState>();
  readonly #appends = new Map<Log<unknown>, unknown[]>();
  readonly entries: Entry[] = [];
  readonly events: KeptEvent[] = [];
  readonly deliveries: Delivery[] = [];

  constructor(
    public book: Book,
    readonly subscribers: readonly Subscriber[],
    readonly forms: LedgerForms = EARLIEST_FORMS,
  ) {
    this.after = book.batchId;
    this.#began = book;
  }

  /**
   * The state of a batch that is decided over the state that `before` leaves, whose commit is outstanding. Rows
   * that both batches touch are taken from `before`; the others are still to be loaded. If another process changes one
   * of those, the book is not where `before` left it, and this batch is not written.
   */
  static behind(before: BookState, touched: ReadonlyMap<Table<unknown>, readonly string[]>): BookState {
    const state = new BookState(before.book, before.subscribers, before.forms);
    state.inherit(before, touched);
    return state;
  }

  /** Takes those of these rows that this state does not have, and that `before` has. */
  inherit(before: BookState, touched: ReadonlyMap<Table<unknown>, readonly string[]>): void {
    for (const [table, ids] of touched) {
      const earlier = before.#tables.get(table);
      if (!earlier) continue;
      const own = this.#of(table);
      for (const id of ids) {
        const slot = earlier.get(id);
        if (slot && !own.has(id)) own.set(id, { row: slot.row, loaded: slot.row !== undefined, dirty: false });
      }
    }
  }

  /** The given ids that are not in this state. */
  missing(table: Table<unknown>, ids: readonly string[]): readonly string[] {
    const known = this.#tables.get(table);
    return known ? ids.filter((id) => !known.has(id)) : ids;
  }

  changes(table: Table<unknown>): boolean {
    return [...(this.#tables.get(table)?.values() ?? [])].some(({ dirty }) => dirty);
  }

  /** Adds loaded rows. An id without a row is known to be absent. */
  admit(table: Table<unknown>, ids: Iterable<string>, rows: ReadonlyMap<string, unknown>): void {
    const state = this.#of(table);
    for (const id of ids) {
      const row = rows.get(id);
      state.set(id, { row, loaded: row !== undefined, dirty: false });
    }
  }

  /** The row, or undefined when none exists. Throws when no command of the batch declared the id: a bug. */
  get<Row>(table: Table<Row>, id: string): Row | undefined {
    const slot = this.#tables.get(table as Table<unknown>)?.get(id);
    if (!slot) throw new Error(`${table.name} ${id} was not declared by the command`);
    return slot.row as Row | undefined;
  }

  /** The same, without the demand that the id was declared: undefined for a row that the batch does not know. */
  known<Row>(table: Table<Row>, id: string): Row | undefined {
    return this.#tables.get(table as Table<unknown>)?.get(id)?.row as Row | undefined;
  }

  /** Whether the batch knows such a row. */
  someRow(is: (row: unknown) => boolean): boolean {
    for (const slots of this.#tables.values()) for (const { row } of slots.values()) if (is(row)) return true;
    return false;
  }

  /** The rows of a table that the batch knows. */
  *rowsOf<Row>(table: Table<Row>): Generator<Row> {
    for (const { row } of this.#tables.get(table as Table<unknown>)?.values() ?? [])
      if (row !== undefined) yield row as Row;
  }

  account(id: Uuid): Account | undefined {
    return this.get(accounts, id);
  }

  /** Applies an outcome, so that the batch's next command decides over it. Returns the jobs to enqueue. */
  apply(outcome: Outcome<unknown>): JobRow[] {
    this.book = outcome.book;
    for (const { table, id, row } of outcome.rows) {
      const state = this.#of(table);
      const slot = state.get(id);
      if (!slot) state.set(id, { row, loaded: false, dirty: true });
      else {
        slot.row = row;
        slot.dirty = true;
      }
    }
    for (const append of outcome.appends) this.#append(append);
    for (const entry of outcome.entries) this.entries.push(entry);
    const jobs = [...outcome.jobs];
    for (const event of outcome.events) {
      this.events.push(event);
      for (const subscriber of this.subscribers) {
        if (!subscriber.wants(event.type, event.objectId)) continue;
        const behindFrom = subscriber.isSentAtOnce?.(event.type) ? null : subscriber.behindFrom;
        this.deliveries.push({
          eventSequence: event.sequence,
          subscriberId: subscriber.id,
          behindFrom,
          createdAt: event.createdAt,
        });
        if (behindFrom !== null) continue;
        jobs.push(subscriber.jobOf(event.sequence, event.type));
      }
    }
    return jobs;
  }

  /** Each changed row once, by table in write order. */
  rowWrites(): RowWrites[] {
    const writes: RowWrites[] = [];
    for (const [table, state] of this.#tables) {
      const write: RowWrites = { table, inserted: [], updated: [] };
      for (const { row, loaded, dirty } of state.values())
        if (dirty) (loaded ? write.updated : write.inserted).push(row);
      if (write.inserted.length + write.updated.length > 0) writes.push(write);
    }
    return writes.sort((a, b) => a.table.writeOrder - b.table.writeOrder);
  }

  logWrites(): { log: Log<unknown>; rows: unknown[] }[] {
    return [...this.#appends].map(([log, rows]) => ({ log, rows }));
  }

  get isUnchanged(): boolean {
    return (
      this.book.clockTarget === this.#began.clockTarget &&
      this.book.clockAt === this.#began.clockAt &&
      this.book.closedThrough === this.#began.closedThrough &&
      this.book.timeZone === this.#began.timeZone &&
      // A command that finishes a day moves nothing else.
      this.book.lastPostedAt === this.#began.lastPostedAt &&
      this.entries.length === 0 &&
      this.events.length === 0 &&
      this.#appends.size === 0 &&
      this.rowWrites().length === 0
    );
  }

  #append({ log, row }: LogAppend): void {
    const rows = this.#appends.get(log);
    if (rows) rows.push(row);
    else this.#appends.set(log, [row]);
  }

  #of(table: Table<unknown>): TableState {
    let state = this.#tables.get(table);
    if (!state) {
      state = new Map();
      this.#tables.set(table, state);
    }
    return state;
  }
}

/** The union of the rows that commands touch: by table, each id once. */
export function unionOfTouches(touches: Iterable<readonly Touch[]>): Map<Table<unknown>, readonly string[]> {
  const union = new Map<Table<unknown>, Set<string>>();
  for (const list of touches) {
    for (const { table, ids } of list) {
      let set = union.get(table);
      if (!set) {
        set = new Set();
        union.set(table, set);
      }
      for (const id of ids) set.add(id);
    }
  }
  return new Map([...union].map(([table, ids]) => [table, [...ids]]));
}

/**
 * A book in memory: the work of the committer without Postgres, so that tables and random commands can drive the pure
 * core. It loads, decides and writes in the same order. Rows are kept by table, logs and journal in the order of
 * writing.
 */

import { EARLIEST_FORMS, type LedgerForms } from '../../src/db/forms.ts';
import type { Account } from '../../src/ledger/account/account.ts';
import { accounts } from '../../src/ledger/account/account-table.ts';
import type { Book } from '../../src/ledger/book/book.ts';
import type { Command, JobRow, RowChange } from '../../src/ledger/command/command.ts';
import { BookState, unionOfTouches } from '../../src/ledger/command/state.ts';
import { type Decision, decideAll, momentOf } from '../../src/ledger/commit/batch.ts';
import type { Entry } from '../../src/ledger/entry/entry.ts';
import { GENESIS_HASH } from '../../src/ledger/entry/entry-hash.ts';
import type { Delivery, KeptEvent, Subscriber } from '../../src/ledger/events/event.ts';
import type { Log, Table } from '../../src/ledger/rows/table.ts';
import type { Instant, Moment } from '../../src/values/clock.ts';
import { newId, type Uuid } from '../../src/values/ids.ts';
import { loadDerived } from './memory-derived.ts';

export const START: Instant = Date.parse('2026-03-01T00:00:00.000Z');

export class MemoryBook {
  book: Book;
  now: Instant = START;
  readonly subscribers: Subscriber[] = [];
  readonly entries: Entry[] = [];
  readonly events: KeptEvent[] = [];
  readonly deliveries: Delivery[] = [];
  readonly jobs: JobRow[] = [];
  readonly #tables = new Map<Table<unknown>, Map<string, unknown>>();
  readonly #logs = new Map<Log<unknown>, unknown[]>();

  /** The stored forms that commands write. A test may contract them. */
  forms: LedgerForms;

  constructor(book: Partial<Book> = {}, forms: LedgerForms = EARLIEST_FORMS) {
    this.forms = forms;
    this.book = {
      id: newId(),
      mode: 'test',
      timeZone: 'UTC',
      entrySequence: 0n,
      eventSequence: 0n,
      chainHash: GENESIS_HASH,
      lastPostedAt: 0,
      closedThrough: null,
      clockOffsetMs: 0,
      clockTarget: null,
      clockAt: null,
      batchId: '00000000-0000-0000-0000-000000000000',
      ...book,
    };
  }

  /** Runs one batch. Returns answers and exceptions as the committer gets them. */
  run(commands: readonly Command<unknown>[]): Decision[] {
    const state = this.state(commands);
    const changed: RowChange[] = [];
    const watched = commands.map((command) => ({
      ...command,
      decide(current: BookState, moment: Moment) {
        const outcome = command.decide(current, moment);
        changed.push(...outcome.rows);
        return outcome;
      },
    }));
    const { decisions, jobs } = decideAll(state, watched, {
      begun: momentOf({ now: () => this.now }, this.book),
      // No account of a model has an alert.
      watch: { touches: () => [], notify: () => undefined },
    });
    this.#write(state, changed);
    this.jobs.push(...jobs);
    return decisions;
  }

  /** Runs one command alone. Returns its answer or throws its exception. */
  answer<Answer>(command: Command<Answer>): Answer {
    const decision = this.run([command])[0]!;
    if ('error' in decision) throw decision.error;
    return decision.answer as Answer;
  }

  /** The state over which a batch of these commands is decided. */
  state(commands: readonly Pick<Command<unknown>, 'touches'>[]): BookState {
    const state = new BookState(this.book, this.subscribers, this.forms);
    for (const [table, ids] of unionOfTouches(commands.map((command) => command.touches))) {
      state.admit(table, ids, this.#load(table, [...ids]));
    }
    return state;
  }

  put<Row>(table: Table<Row>, id: string, row: Row): Row {
    this.rows(table).set(id, row);
    return row;
  }

  get<Row>(table: Table<Row>, id: string): Row {
    const row = this.rows(table).get(id);
    if (row === undefined) throw new Error(`No row ${id} in ${table.name}`);
    return row;
  }

  rows<Row>(table: Table<Row>): Map<string, Row> {
    const rows = this.#tables.get(table as Table<unknown>) ?? new Map<string, unknown>();
    this.#tables.set(table as Table<unknown>, rows);
    return rows as Map<string, Row>;
  }

  log<Row>(log: Log<Row>): Row[] {
    return (this.#logs.get(log as Log<unknown>) ?? []) as Row[];
  }

  account(id: Uuid): Account {
    return this.get(accounts, id);
  }

  /** Everything except the journal, as one comparable value. */
  dump() {
    const filled = [...this.#tables].filter(([, kept]) => kept.size > 0);
    const rows = filled.map(([table, kept]) => [table.name, [...kept].sort(([a], [b]) => (a < b ? -1 : 1))]);
    const logs = [...this.#logs].map(([log, kept]) => [log.name, kept]);
    return { book: this.book, rows: Object.fromEntries(rows), logs: Object.fromEntries(logs) };
  }

  #load(table: Table<unknown>, ids: readonly string[]): Map<string, unknown> {
    const derived = loadDerived(this, table, ids);
    if (derived) return derived;
    const rows = this.rows(table);
    return new Map(ids.filter((id) => rows.has(id)).map((id) => [id, rows.get(id)]));
  }

  #write(state: BookState, changed: readonly RowChange[]): void {
    this.book = state.book;
    for (const { table, id } of changed) this.rows(table).set(id, state.get(table, id));
    for (const { log, rows } of state.logWrites()) {
      const kept = this.#logs.get(log) ?? [];
      kept.push(...rows);
      this.#logs.set(log, kept);
      refuseDoubles(
        log.name,
        kept.map((row) => (row as { id?: string }).id).filter((id) => id !== undefined),
      );
    }
    this.entries.push(...state.entries);
    refuseDoubles(
      'entries',
      this.entries.map(({ resourceId, step }) => `${resourceId} ${step}`),
    );
    this.events.push(...state.events);
    refuseDoubles(
      'events',
      this.events.map(({ id }) => id),
    );
    this.deliveries.push(...state.deliveries);
  }
}

/** Throws where Postgres would refuse the batch with 23505. */
function refuseDoubles(name: string, keys: readonly string[]): void {
  if (new Set(keys).size !== keys.length) throw new Error(`duplicate key value violates unique constraint of ${name}`);
}

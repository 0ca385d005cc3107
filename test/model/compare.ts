/** Compares three ledgers: the reference's lists, the pure core in memory, and the rows of a real Postgres. */
import { expect } from 'vitest';
import type { Pool } from '../../src/db/pool.ts';
import { available, held, posted } from '../../src/ledger/account/account.ts';
import { accounts } from '../../src/ledger/account/account-table.ts';
import { loadBook } from '../../src/ledger/book/book-store.ts';
import type { Entry } from '../../src/ledger/entry/entry.ts';
import type { LedgerEvent } from '../../src/ledger/events/event.ts';
import { readEvents } from '../../src/ledger/events/event-read-store.ts';
import { wholePayload } from '../../src/ledger/events/render-event.ts';
import { listEntries } from '../../src/ledger/journal/journal-read-store.ts';
import { parsePublicId } from '../../src/values/ids.ts';
import { keptRows } from '../support/kept-rows.ts';
import type { MemoryBook } from '../support/memory-book.ts';
import type { Names } from './names.ts';
import { PARTS } from './parts.ts';
import type { ReferenceBook } from './reference-book.ts';

/** How far a comparison has come. Earlier entries and events need no second comparison: they never change. */
export interface Compared {
  entries: number;
  events: number;
}

export function expectAsReference(
  memory: MemoryBook,
  reference: ReferenceBook,
  { names, compared }: { names: Names; compared: Compared },
): void {
  expect(entriesOf(memory.entries.slice(compared.entries), names)).toEqual(reference.entries.slice(compared.entries));
  expect(eventsOf(memory.events.slice(compared.events), names)).toEqual(expectedEvents(reference, compared.events));
  compared.entries = memory.entries.length;
  compared.events = memory.events.length;
  expect(memory.book).toMatchObject({
    entrySequence: BigInt(reference.entries.length),
    eventSequence: BigInt(reference.events.length),
    lastPostedAt: reference.last,
  });
  expect(accountsOf(memory, names)).toEqual(expectedAccounts(reference));
  for (const { real, expected } of PARTS.flatMap(({ compare = [] }) => compare))
    expect(real({ memory, names })).toEqual(expected(reference));
}

function accountsOf(memory: MemoryBook, names: Names) {
  const rows = [...memory.rows(accounts).values()].map((account) => [
    names.nameOf(account.id),
    { ...balances(posted(account), held(account), available(account)), lines: account.lines, status: account.status },
  ]);
  return byName(rows as [string, unknown][]);
}

function expectedAccounts(reference: ReferenceBook) {
  return byName(
    [...reference.accounts].map(([name, { status }]) => [
      name,
      {
        ...balances(reference.posted(name), reference.held(name), reference.available(name)),
        lines: reference.lines(name),
        status,
      },
    ]),
  );
}

const balances = (posted: bigint, held: bigint, available: bigint) => ({ posted, held, available });

/** Leaves out chart accounts without lines, which a ledger may or may not have opened. */
function byName(rows: [string, unknown][]): Record<string, unknown> {
  return Object.fromEntries(
    rows.filter(([name, row]) => name.startsWith('account ') || (row as { lines: bigint }).lines > 0n),
  );
}

function entriesOf(entries: readonly Entry[], names: Names) {
  return entries.map((entry) => ({
    resource: names.nameOf(entry.resourceId),
    step: entry.step,
    at: entry.postedAt,
    below: entry.floorOverridden,
    lines: entry.postings.map((line) => ({
      debit: names.nameOf(line.debitAccountId),
      credit: names.nameOf(line.creditAccountId),
      amount: line.amount,
      debitLine: line.debitLine,
      debitAfter: line.debitBalanceAfter,
      creditLine: line.creditLine,
      creditAfter: line.creditBalanceAfter,
    })),
  }));
}

/** Events as a receiver sees them: sequence, type, object and version, and the exact postings of their entries. */
function eventsOf(events: readonly LedgerEvent[], names: Names) {
  return events.map((event) => {
    const payload = JSON.parse(event.payload);
    return {
      sequence: payload.sequence,
      type: payload.type,
      object: objectOf(event, payload.data.object, names),
      version: payload.object_sequence,
      at: event.createdAt,
      entries: payload.journal_entries.map((entry: PayloadEntry) => ({
        sequence: entry.sequence,
        step: entry.step,
        postings: entry.postings.map(({ debit, credit, amount }) => [
          [debit.sequence, debit.balance_after],
          [credit.sequence, credit.balance_after],
          amount,
        ]),
      })),
    };
  });
}

/** The reference names an exception after what it is about. */
function objectOf({ objectId }: LedgerEvent, shown: ShownObject, names: Names): string {
  if (shown.object !== 'exception') return names.nameOf(objectId);
  const kind = shown.resource === 'transaction_dispute' ? 'transactionDispute' : shown.resource;
  return `exception of ${names.nameOf(parsePublicId(kind, shown.resource_id)!)}`;
}

interface ShownObject {
  object: string;
  /** Of an exception. */
  resource: 'payout' | 'payment' | 'dispute' | 'settlement' | 'transaction' | 'transaction_dispute';
  resource_id: string;
}

interface PayloadEntry {
  sequence: number;
  step: string;
  postings: { debit: PayloadLine; credit: PayloadLine; amount: number }[];
}

interface PayloadLine {
  sequence: number;
  balance_after: number;
}

function expectedEvents(reference: ReferenceBook, from: number) {
  return reference.events.slice(from).map((event, at) => ({
    sequence: from + at + 1,
    type: event.type,
    object: event.object,
    version: event.version,
    at: event.at,
    entries: event.entries.map((sequence) => ({
      sequence,
      step: reference.entries[sequence - 1]!.step,
      postings: reference.entries[sequence - 1]!.lines.map((line) => [
        [Number(line.debitLine), Number(line.debitAfter)],
        [Number(line.creditLine), Number(line.creditAfter)],
        Number(line.amount),
      ]),
    })),
  }));
}

const TABLES = PARTS.flatMap(({ tables }) => tables);

/** Compares every row, and the new entries and events, byte for byte. */
export async function expectInPostgres(pool: Pool, memory: MemoryBook, compared: Compared): Promise<void> {
  const { id } = memory.book;
  const [book, page, events, ...tables] = await Promise.all([
    loadBook(pool, id),
    listEntries(pool, id, {}, { limit: 100 }),
    readEvents(pool, id, { after: BigInt(compared.events), upTo: memory.book.eventSequence + 1n, limit: 1_000 }),
    ...TABLES.map((table) => table.load(pool as never, id, [...memory.rows(table).keys()])),
  ]);
  // Only the committer makes batch ids.
  expect(book).toEqual({ ...memory.book, batchId: expect.any(String) });
  const fresh = memory.entries.slice(compared.entries).map(({ text: _, ...entry }) => entry);
  expect(page.rows.slice(0, fresh.length).reverse()).toEqual(fresh);
  expect(events).toEqual(wholeEvents(memory).slice(compared.events));
  for (const [at, table] of TABLES.entries()) expect(tables[at], table.name).toEqual(memory.rows(table));
  compared.entries = memory.entries.length;
  compared.events = memory.events.length;
}

/** The events of the memory as readers get them: with the text that their form stands for. */
function wholeEvents({ book, events }: MemoryBook) {
  const rows = keptRows(book.id, events);
  return events.map(({ form: _form, firstSequence: _first, ...event }, index) => ({
    ...event,
    payload: wholePayload(rows[index]!),
  }));
}

/** Writes the journal: entries with their postings, and events. Append-only: the database refuses anything else. */
import {
  byteaArray,
  column,
  hexArray,
  instantArray,
  joinedJson,
  plainArray,
  rowsOf,
  textArray,
} from '../db/columns.ts';
import type { Transaction } from '../db/pool.ts';
import type { BookId } from './book.ts';
import type { Entry, Posting } from './entry.ts';
import type { LedgerEvent } from './event.ts';

/** At most three statements for any number of entries, sent together: the caller does not wait in between. */
export async function appendEntries(trx: Transaction, bookId: BookId, entries: readonly Entry[]): Promise<void> {
  const withText = entries.filter((entry) => entry.text !== null);
  await Promise.all([
    insertEntries(trx, bookId, entries),
    insertPostings(trx, bookId, entries),
    ...(withText.length === 0 ? [] : [insertTexts(trx, bookId, withText)]),
  ]);
}

const INSERT_ENTRIES = `INSERT INTO entries (book_id, sequence, id, resource, resource_id, step, posted_at, effective_at, request_id, floor_overridden, text_digest, hash)
  SELECT $1, ${rowsOf('bigint', 'uuid', 'text', 'uuid', 'text', 'timestamptz', 'timestamptz', 'uuid', 'boolean', 'bytea', 'bytea')}`;

async function insertEntries(trx: Transaction, bookId: BookId, entries: readonly Entry[]): Promise<void> {
  await trx.query({
    name: 'entries.append',
    text: INSERT_ENTRIES,
    values: [
      bookId,
      plainArray(column(entries, (entry) => entry.sequence)),
      plainArray(column(entries, (entry) => entry.id)),
      textArray(column(entries, (entry) => entry.resource)),
      plainArray(column(entries, (entry) => entry.resourceId)),
      textArray(column(entries, (entry) => entry.step)),
      instantArray(column(entries, (entry) => entry.postedAt)),
      instantArray(column(entries, (entry) => entry.effectiveAt)),
      plainArray(column(entries, (entry) => entry.requestId)),
      plainArray(column(entries, (entry) => entry.floorOverridden)),
      byteaArray(column(entries, (entry) => entry.textDigest)),
      hexArray(column(entries, (entry) => entry.hash)),
    ],
  });
}

const INSERT_POSTINGS = `INSERT INTO postings (book_id, entry_sequence, ordinal, debit_account_id, credit_account_id, amount, currency,
  debit_line, debit_balance_after, credit_line, credit_balance_after)
  SELECT $1, ${rowsOf('bigint', 'smallint', 'uuid', 'uuid', 'bigint', 'text', 'bigint', 'bigint', 'bigint', 'bigint')}`;

async function insertPostings(trx: Transaction, bookId: BookId, entries: readonly Entry[]): Promise<void> {
  const sequences: bigint[] = [];
  const postings: Posting[] = [];
  for (const entry of entries) {
    for (const posting of entry.postings) {
      sequences.push(entry.sequence);
      postings.push(posting);
    }
  }
  await trx.query({
    name: 'postings.append',
    text: INSERT_POSTINGS,
    values: [
      bookId,
      plainArray(sequences),
      plainArray(column(postings, (posting) => posting.ordinal)),
      plainArray(column(postings, (posting) => posting.debitAccountId)),
      plainArray(column(postings, (posting) => posting.creditAccountId)),
      plainArray(column(postings, (posting) => posting.amount)),
      textArray(column(postings, (posting) => posting.currency)),
      plainArray(column(postings, (posting) => posting.debitLine)),
      plainArray(column(postings, (posting) => posting.debitBalanceAfter)),
      plainArray(column(postings, (posting) => posting.creditLine)),
      plainArray(column(postings, (posting) => posting.creditBalanceAfter)),
    ],
  });
}

const INSERT_ENTRY_TEXTS = `INSERT INTO entry_texts (book_id, entry_sequence, salt, description)
  SELECT $1, ${rowsOf('bigint', 'bytea', 'text')}`;

async function insertTexts(trx: Transaction, bookId: BookId, entries: readonly Entry[]): Promise<void> {
  await trx.query({
    name: 'entry_texts.append',
    text: INSERT_ENTRY_TEXTS,
    values: [
      bookId,
      plainArray(column(entries, (entry) => entry.sequence)),
      byteaArray(column(entries, (entry) => entry.text!.salt)),
      textArray(column(entries, (entry) => entry.text!.description)),
    ],
  });
}

const INSERT_EVENTS = `INSERT INTO events (book_id, sequence, id, type, object_id, request_id, actor, created_at, payload)
  SELECT $1, ${rowsOf('bigint', 'uuid', 'text', 'uuid', 'uuid', 'text', 'timestamptz', 'json text')}`;

export async function appendEvents(trx: Transaction, bookId: BookId, events: readonly LedgerEvent[]): Promise<void> {
  await trx.query({
    name: 'events.append',
    text: INSERT_EVENTS,
    values: [
      bookId,
      plainArray(column(events, (event) => event.sequence)),
      plainArray(column(events, (event) => event.id)),
      textArray(column(events, (event) => event.type)),
      plainArray(column(events, (event) => event.objectId)),
      plainArray(column(events, (event) => event.requestId)),
      textArray(column(events, (event) => event.actor)),
      instantArray(column(events, (event) => event.createdAt)),
      joinedJson(column(events, (event) => event.payload)),
    ],
  });
}

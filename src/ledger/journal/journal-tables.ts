/** The journal's logs: entries with their postings and texts, and events. Append-only; the database refuses anything else. */
import { column } from '../../db/declared-columns.ts';
import type { Transaction } from '../../db/pool.ts';
import type { Uuid } from '../../values/ids.ts';
import type { BookId } from '../book/book.ts';
import type { Entry, Posting } from '../entry/entry.ts';
import type { KeptEvent } from '../events/event.ts';
import { WRITE_ORDER } from '../rows/table.ts';
import { logOf } from '../rows/table-of.ts';

export const entries = logOf<Entry>({
  name: 'entries',
  writeOrder: WRITE_ORDER.entries,
  columns: [
    column('sequence', 'bigint'),
    column('id', 'uuid'),
    column('resource', 'code'),
    column('resource_id', 'uuid'),
    column('step', 'code'),
    column('posted_at', 'timestamptz'),
    column('effective_at', 'timestamptz'),
    column('request_id', 'uuid'),
    column('floor_overridden', 'boolean'),
    column('text_digest', 'bytea'),
    column('reverses', 'uuid'),
    column('occurred_on', 'code'),
    column('hash', 'hex'),
  ],
});

/** A posting with the number of its entry. */
interface NumberedPosting {
  readonly sequence: bigint;
  readonly posting: Posting;
}

export const postings = logOf<NumberedPosting>({
  name: 'postings',
  writeOrder: WRITE_ORDER.postings,
  columns: [
    column('entry_sequence', 'bigint', ({ sequence }) => sequence),
    column('ordinal', 'smallint', ({ posting }) => posting.ordinal),
    column('debit_account_id', 'uuid', ({ posting }) => posting.debitAccountId),
    column('credit_account_id', 'uuid', ({ posting }) => posting.creditAccountId),
    column('amount', 'bigint', ({ posting }) => posting.amount),
    column('currency', 'code', ({ posting }) => posting.currency),
    column('debit_line', 'bigint', ({ posting }) => posting.debitLine),
    column('debit_balance_after', 'bigint', ({ posting }) => posting.debitBalanceAfter),
    column('credit_line', 'bigint', ({ posting }) => posting.creditLine),
    column('credit_balance_after', 'bigint', ({ posting }) => posting.creditBalanceAfter),
  ],
});

export const entryTexts = logOf<Entry>({
  name: 'entry_texts',
  writeOrder: WRITE_ORDER.postings,
  columns: [
    column('entry_sequence', 'bigint', (entry) => entry.sequence),
    column('salt', 'bytea', (entry) => entry.text!.salt),
    column('description', 'text', (entry) => entry.text!.description, { personal: true }),
  ],
});

/** A line of an account whose entry takes effect on another day than it is posted on. */
export interface EffectiveLine {
  readonly accountId: Uuid;
  readonly line: bigint;
  readonly entrySequence: bigint;
  /** Of the posted balance, on the account's own side. */
  readonly change: bigint;
  /** Days of the book. */
  readonly postedOn: string;
  readonly effectiveOn: string;
}

export const effectiveLines = logOf<EffectiveLine>({
  name: 'effective_lines',
  writeOrder: WRITE_ORDER.postings,
  columns: [
    column('account_id', 'uuid'),
    column('line', 'bigint'),
    column('entry_sequence', 'bigint'),
    column('change', 'bigint'),
    column('posted_on', 'code'),
    column('effective_on', 'code'),
  ],
});

export const events = logOf<KeptEvent>({
  name: 'events',
  writeOrder: WRITE_ORDER.events,
  columns: [
    column('sequence', 'bigint'),
    column('id', 'uuid'),
    column('type', 'code'),
    column('object_id', 'uuid'),
    column('request_id', 'uuid'),
    column('actor', 'text', { notPersonal: 'actor' }),
    column('created_at', 'timestamptz'),
    column('payload', 'json text', { notPersonal: 'refers' }),
    column('text_references', 'text', { notPersonal: 'refers' }),
    column('form', 'smallint'),
    column('first_sequence', 'bigint'),
  ],
});

/** Three statements at most for any number of entries. Sent together: the caller's connection does not wait in between. */
export async function appendEntries(trx: Transaction, bookId: BookId, rows: readonly Entry[]): Promise<void> {
  const numbered: NumberedPosting[] = [];
  for (const entry of rows) for (const posting of entry.postings) numbered.push({ sequence: entry.sequence, posting });
  const withText = rows.filter((entry) => entry.text !== null);
  await Promise.all([
    entries.append(trx, bookId, rows),
    postings.append(trx, bookId, numbered),
    ...(withText.length === 0 ? [] : [entryTexts.append(trx, bookId, withText)]),
  ]);
}

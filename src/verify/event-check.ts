/**
 * Checks events: numbers have no gap, times do not go back, and each body matches its row. The entries that a body
 * names match the journal. Groups check their own consequences of an event, such as its deliveries.
 */

import type { Check, CheckContext } from '../group/check-context.ts';
import type { EventCheck } from '../group/row-check.ts';
import type { LedgerEvent } from '../ledger/events/event.ts';
import { readEventsAsFound } from '../ledger/events/event-read-store.ts';
import { formatInstant } from '../values/clock.ts';
import { parsePublicId, publicId, type Uuid } from '../values/ids.ts';
import { readEntryHashes } from './event-check-store.ts';
import { checkEventTexts } from './event-text-check.ts';
import { readAhead } from './read-ahead.ts';

/** Events in one page: some 2 MB. */
const PAGE = 1_000;

interface Payload {
  id?: unknown;
  type?: unknown;
  sequence?: unknown;
  created_at?: unknown;
  request_id?: unknown;
  journal_entries?: { id?: unknown; hash?: unknown }[];
}

export type EventBefore = Pick<LedgerEvent, 'sequence' | 'createdAt'>;

export const NO_EVENT: EventBefore = { sequence: 0n, createdAt: Number.NEGATIVE_INFINITY };

/** The checks of groups, run beside it. */
export type GroupChecks = (events: readonly LedgerEvent[]) => Promise<void>;

/** Called before the events are read. */
export async function beginAll(context: CheckContext, checks: readonly EventCheck[]): Promise<GroupChecks> {
  const begun = await Promise.all(checks.map((check) => check.begin(context)));
  return async (events) => {
    for (const check of begun) await check(events);
  };
}

export const eventCheck = (checks: readonly EventCheck[]): Check => ({
  name: 'events',
  async run(context) {
    const { pool, book } = context;
    const checkGroups = await beginAll(context, checks);
    let previous = NO_EVENT;
    const pages = readAhead<LedgerEvent>((last) =>
      readEventsAsFound(pool, book.id, { after: last?.sequence ?? 0n, upTo: book.eventSequence, limit: PAGE }),
    );
    for await (const events of pages) previous = await checkEvents(context, events, { previous, checkGroups });
    if (previous.sequence < book.eventSequence) reportMissing(context, previous.sequence + 1n, book.eventSequence);
  },
});

/** Checks consecutive events. Resolves to the last of them. */
export async function checkEvents(
  context: CheckContext,
  events: readonly LedgerEvent[],
  { previous, checkGroups }: { previous: EventBefore; checkGroups: GroupChecks },
): Promise<EventBefore> {
  let before = previous;
  for (const event of events) {
    checkPlace(context, event, before);
    before = event;
  }
  await checkPayloads(context, events);
  await checkEventTexts(context, events);
  await checkGroups(events);
  context.advance(events.length);
  return before;
}

const idsOf = ({ id, sequence }: LedgerEvent) => ({ event: publicId('event', id), sequence: `${sequence}` });

function checkPlace(context: CheckContext, event: LedgerEvent, previous: EventBefore): void {
  if (event.sequence !== previous.sequence + 1n) reportMissing(context, previous.sequence + 1n, event.sequence - 1n);
  if (event.createdAt >= previous.createdAt) return;
  context.report({
    check: 'event.time',
    ids: idsOf(event),
    expected: `not before ${formatInstant(previous.createdAt)}`,
    actual: formatInstant(event.createdAt),
    detail: 'The event happened before its predecessor.',
  });
}

export function reportMissing({ report }: CheckContext, from: bigint, upTo: bigint): void {
  report({
    check: 'event.sequence',
    ids: { sequence: `${from}` },
    expected: `events ${from} to ${upTo}`,
    actual: 'none',
    detail: 'Events are missing.',
  });
}

async function checkPayloads(context: CheckContext, events: readonly LedgerEvent[]): Promise<void> {
  const named: { event: LedgerEvent; entryId: Uuid; hash: string }[] = [];
  for (const event of events) {
    const payload = parse(event.payload);
    const expected = describe({
      id: publicId('event', event.id),
      type: event.type,
      sequence: Number(event.sequence),
      created_at: formatInstant(event.createdAt),
      request_id: publicId('request', event.requestId),
    });
    const actual = payload ? describe(payload) : 'no JSON object';
    if (actual !== expected) {
      const detail = "The event's body is not that of its row.";
      context.report({ check: 'event.payload', ids: idsOf(event), expected, actual, detail });
    }
    for (const entry of entriesOf(payload)) {
      named.push({ event, entryId: parsePublicId('entry', String(entry?.id)) ?? '', hash: String(entry?.hash) });
    }
  }
  await checkEntries(context, named);
}

async function checkEntries(
  { pool, book, report }: CheckContext,
  named: readonly { event: LedgerEvent; entryId: Uuid; hash: string }[],
): Promise<void> {
  if (named.length === 0) return;
  const ids = named.map(({ entryId }) => entryId).filter((id) => id !== '');
  const hashes = await readEntryHashes(pool, book.id, ids);
  for (const { event, entryId, hash } of named) {
    const expected = hashes.get(entryId) ?? 'no such entry';
    if (expected === hash) continue;
    report({
      check: 'event.entries',
      ids: { ...idsOf(event), entry: entryId === '' ? 'unreadable' : publicId('entry', entryId) },
      expected,
      actual: hash,
      detail: 'The event tells of an entry otherwise than the journal.',
    });
  }
}

function parse(text: string): Payload | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A value that is not a list, or an item that is not an entry, is reported as an entry that does not exist. */
function entriesOf(payload: Payload | undefined): readonly ({ id?: unknown; hash?: unknown } | null)[] {
  const named: unknown = payload?.journal_entries;
  if (named === undefined) return [];
  return Array.isArray(named) ? named : [{ hash: JSON.stringify(named) }];
}

function describe({ id, type, sequence, created_at, request_id }: Payload): string {
  return `${id} ${type} ${sequence} ${created_at} ${request_id}`;
}

/**
 * Verifies entries and events of a range, and the accounts, holds and rows of groups that they touch. Rows that may have changed since are
 * read as they are now, with what they must agree with.
 */
import type { CheckContext } from '../group/check-context.ts';
import type { Group } from '../group/group.ts';
import type { RowCheck } from '../group/row-check.ts';
import { checkAccounts } from './account-window.ts';
import { accountsOf, checkEntryWindow, type Window } from './entry-window.ts';
import { checkEventWindow } from './event-window.ts';
import { checkHold } from './hold-check.ts';
import { readHoldsById } from './hold-check-store.ts';
import { whereReadable } from './readable.ts';
import { rowChecksOf } from './tied-rows.ts';
import { readNewestLinesById } from './window-store.ts';

const WINDOW = 1_000n;

export interface Range {
  readonly entries: Window;
  readonly events: Window;
}

interface Seen {
  readonly entries: bigint;
  readonly lines: bigint;
  readonly events: bigint;
}

export async function checkRange(context: CheckContext, groups: readonly Group[], range: Range): Promise<Seen> {
  const seen = { entries: 0n, lines: 0n, events: 0n };
  const { pool, book, resources } = context;
  const checks = groups.flatMap(rowChecksOf);
  const eventChecks = groups.flatMap((group) => group.eventChecks ?? []);
  const children = new Set<string>(resources.filter(({ parent }) => parent !== null).map(({ name }) => name));
  for (const window of windows(range.entries)) {
    await whereReadable(context, named('entries', window), async () => {
      const entries = await checkEntryWindow(context, window);
      const touched = await readNewestLinesById(pool, book.id, accountsOf(entries));
      await checkAccounts({ ...context, advance: () => undefined }, touched);
      // Events are about the parent: a child that is booked is found by its entry.
      const booked = entries.filter(({ resource }) => children.has(resource)).map(({ resourceId }) => resourceId);
      if (booked.length > 0) for (const check of checks) await checkRows(context, check, booked);
      seen.entries += BigInt(entries.length);
      seen.lines += entries.reduce((sum, { postings }) => sum + 2n * BigInt(postings.length), 0n);
    });
  }
  for (const window of windows(range.events)) {
    await whereReadable(context, named('events', window), async () => {
      const events = await checkEventWindow(context, window, eventChecks);
      const objects = [...new Set(events.map(({ objectId }) => objectId))];
      for (const check of checks) await checkRows(context, check, objects);
      seen.events += BigInt(events.length);
    });
  }
  return seen;
}

function named(rows: string, { after, upTo }: { after: bigint; upTo: bigint }): string {
  return `${rows} ${after + 1n} to ${upTo}`;
}

/** Every change that is checked here emits an event, and holds change with the row that made them. */
async function checkRows(context: CheckContext, rows: RowCheck, ids: readonly string[]): Promise<void> {
  const { pool, book, resources } = context;
  const found = (await rows.readByIds?.(context, ids)) ?? [];
  for (const row of found) rows.check(context, row);
  const holdIds = found.flatMap((row) => rows.holdsOf?.(row) ?? []);
  if (holdIds.length === 0) return;
  for (const changed of await readHoldsById(pool, book.id, { ids: holdIds, resources })) checkHold(context, changed);
}

function* windows({ after, upTo }: Window): Generator<Window> {
  for (let from = after; from < upTo; from += WINDOW) {
    yield { after: from, upTo: from + WINDOW < upTo ? from + WINDOW : upTo };
  }
}

/** Checks a window of events: they follow the event before it, and pass the checks of groups. */

import type { CheckContext } from '../group/check-context.ts';
import type { EventCheck } from '../group/row-check.ts';
import type { LedgerEvent } from '../ledger/events/event.ts';
import { readEventsAsFound } from '../ledger/events/event-read-store.ts';
import type { Window } from './entry-window.ts';
import { beginAll, checkEvents, type EventBefore, NO_EVENT, reportMissing } from './event-check.ts';
import { readEventBefore } from './window-store.ts';

/** Resolves to the events read. */
export async function checkEventWindow(
  context: CheckContext,
  window: Window,
  checks: readonly EventCheck[],
): Promise<readonly LedgerEvent[]> {
  const { pool, book } = context;
  const checkGroups = await beginAll(context, checks);
  const previous = await eventBefore(context, window.after);
  const limit = Number(window.upTo - window.after);
  const events = await readEventsAsFound(pool, book.id, { ...window, limit });
  const last = await checkEvents(context, events, { previous, checkGroups });
  if (last.sequence < window.upTo) reportMissing(context, last.sequence + 1n, window.upTo);
  return events;
}

async function eventBefore({ pool, book }: CheckContext, sequence: bigint): Promise<EventBefore> {
  if (sequence === 0n) return NO_EVENT;
  return (await readEventBefore(pool, book.id, sequence)) ?? { ...NO_EVENT, sequence: sequence - 1n };
}

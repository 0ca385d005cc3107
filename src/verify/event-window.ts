/**
 * Checks a window of events: they follow the event before it, and every endpoint that wanted one has a delivery of it.
 */
import type { LedgerEvent } from '../ledger/event.ts';
import { readEvents } from '../ledger/event-read-store.ts';
import type { CheckContext } from '../checks/check-context.ts';
import type { Window } from './entry-window.ts';
import { checkEvents, type EventBefore, NO_EVENT, reportMissing } from './event-check.ts';
import { readSteadyEndpoints } from './event-check-store.ts';
import { readEventBefore } from './window-store.ts';

/** Resolves to the events read. */
export async function checkEventWindow(context: CheckContext, window: Window): Promise<readonly LedgerEvent[]> {
  const { pool, book } = context;
  const endpoints = await readSteadyEndpoints(pool, book.id);
  const previous = await eventBefore(context, window.after);
  const limit = Number(window.upTo - window.after);
  const events = await readEvents(pool, book.id, { ...window, limit });
  const last = await checkEvents(context, events, { previous, endpoints });
  if (last.sequence < window.upTo) reportMissing(context, last.sequence + 1n, window.upTo);
  return events;
}

async function eventBefore({ pool, book }: CheckContext, sequence: bigint): Promise<EventBefore> {
  if (sequence === 0n) return NO_EVENT;
  return (await readEventBefore(pool, book.id, sequence)) ?? { ...NO_EVENT, sequence: sequence - 1n };
}

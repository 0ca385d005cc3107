/** Schemas of events of any type, of their types, and of filters over them. */
import { z } from 'zod';
import { didYouMean } from '../../api/nearest.ts';
import { anyObject, eventOf } from '../../api/schemas/events.ts';
import { EVENT_FILTERS, EVENT_TYPES, isEventFilter } from '../event-filter.ts';

export const eventType = z.enum(EVENT_TYPES as [string, ...string[]]).meta({
  id: 'EventType',
  description: 'Events of groups that this release does not have are named already. Later releases add types.',
  example: 'payout.paid',
});

export const event = eventOf(anyObject, EVENT_TYPES, 'Event').extend({ type: eventType }).meta({ id: 'Event' });

const FILTERS = [...EVENT_FILTERS];
/** Everything is no spelling of anything. */
const SUGGESTED = FILTERS.filter((filter) => filter !== '*');

/** The nearest filter to a text that is none, for the end of its refusal. */
export function suggestedFilter(text: string): string {
  return didYouMean(text, SUGGESTED);
}

/** A filter in a request. Refuses what is not in the list, also a spelling mistake. */
export const eventFilter = z
  .string()
  .check((context) => {
    if (isEventFilter(context.value)) return;
    context.issues.push({
      code: 'custom',
      input: context.value,
      message: `Expects the name of an event (payout.paid), a group (payout.*) or *.${suggestedFilter(context.value)}`,
    });
  })
  .meta({
    id: 'EventFilter',
    enum: FILTERS,
    example: 'payout.*',
    description: 'A type of event, a group of them (`payout.*`), or all (`*`).',
  });

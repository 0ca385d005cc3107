/** Schemas of events of any type, of their types, and of filters over them. */
import { z } from 'zod';
import { didYouMean } from '../../../api/nearest.ts';
import { anyObject, eventOf } from '../../../api/schemas/events.ts';
import * as shown from '../../../api/schemas/shown.ts';
import { EVENT_FILTERS, EVENT_TYPES, isEventFilter } from '../event-filter.ts';

export const eventType = shown
  .oneOf(EVENT_TYPES, {
    description: 'Events of groups that this release does not have are named already. Later releases add types.',
    example: 'payout.paid',
  })
  .meta({ id: 'EventType' });

export const event = eventOf(anyObject, EVENT_TYPES, 'Event').extend({ type: eventType }).meta({ id: 'Event' });

const FILTERS = [...EVENT_FILTERS];
/** `*` is no correction of a misspelled filter. */
const SUGGESTED = FILTERS.filter((filter) => filter !== '*');

const FILTER_TEXT = 'A type of event, a group of them (`payout.*`), or all (`*`).';

/** The filter nearest to a misspelled one, for the end of its refusal. */
export function suggestedFilter(text: string): string {
  return didYouMean(text, SUGGESTED);
}

/** A filter in a request. Refuses any other text, also a spelling mistake. */
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
    id: 'EventFilterInput',
    enum: FILTERS,
    example: 'payout.*',
    description: FILTER_TEXT,
  });

/** A filter as an endpoint shows it: a later version adds types. */
export const eventFilterShown = shown
  .oneOf(FILTERS, { description: FILTER_TEXT, example: 'payout.*' })
  .meta({ id: 'EventFilter' });

import { z } from 'zod';
import type { ApiResource } from '../../../api/api-resource.ts';
import { createdAtFilter, givenTexts } from '../../../api/pages.ts';
import { listRoute, readRoute } from '../../../api/read-routes.ts';
import { objectReference } from '../../../api/schemas/fields.ts';
import type { DeclaredResource } from '../../../ledger/resources/declared-resource.ts';
import { publicId } from '../../../values/ids.ts';
import { JsonText } from '../../../values/json.ts';
import { EVENT_FILTERS, isEventFilter } from '../event-filter.ts';
import { getEvent, listEvents, type StoredEvent } from '../event-store.ts';
import { event, suggestedFilter } from './event-schemas.ts';

/** The text of an event, with the id that is its cursor in lists. */
class ShownEvent extends JsonText {
  readonly id: string;

  constructor({ id, payload }: StoredEvent) {
    super(payload);
    this.id = publicId('event', id);
  }
}

const eventApi: ApiResource<StoredEvent> = {
  path: '/v1/events',
  tag: 'Events',
  type: 'Event',
  names: { types: 'Events', one: 'an event', many: 'events' },
  declared: null,
  cursor: 'event',
  schema: event,
  scopes: { read: 'events:read' },
  find: getEvent,
  view: (stored) => new ShownEvent(stored),
};

/** Accepts `type=payout.paid&type=account.*` and comma-separated values. */
const typeFilter = z
  .unknown()
  .check((context) => {
    const texts = givenTexts(context.value);
    const unknown = texts?.find((text) => !isEventFilter(text));
    if (texts && unknown === undefined) return;
    const suggestion = unknown === undefined ? '' : suggestedFilter(unknown);
    const message = `Expects names of events (payout.paid), groups (payout.*) or *.${suggestion}`;
    context.issues.push({ code: 'custom', input: context.value, message });
  })
  .transform((value) => givenTexts(value)!)
  .optional()
  .meta({
    type: 'array',
    items: { type: 'string', enum: [...EVENT_FILTERS] },
    description: 'Events of any of these types, or groups (`payout.*`).',
  });

function listEventsOf(resources: readonly DeclaredResource[]) {
  const announced = resources.filter(({ events }) => events.length > 0);
  return listRoute(eventApi, {
    description:
      'The same bytes that webhooks carry. Their `sequence` has no gaps, so that what was missed can be found: from the last event that you have handled, `ending_before` reads on to the newest.',
    filters: {
      type: typeFilter,
      object: objectReference(announced, 'Events about this object.').optional(),
      created_at: createdAtFilter,
    },
    rows(db, { bookId, query, page }) {
      const { type: types, object: objectId, created_at: created } = query;
      return listEvents(db, { bookId, types, objectId, createdGte: created?.gte, createdLt: created?.lt }, page);
    },
  });
}

const read = readRoute(eventApi, { answer: 'It never changes.' });

/** Handed all resources: events are listed by what they are about. */
export const eventRoutes = (resources: readonly DeclaredResource[]) => [listEventsOf(resources), read];

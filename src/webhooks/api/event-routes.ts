import { z } from 'zod';
import { found } from '../../api/answers.ts';
import { createdAtFilter, givenTexts, listQuery, pageRequest, readList } from '../../api/pages.ts';
import { route } from '../../api/route.ts';
import { event } from '../../api/schemas/events.ts';
import { exampleId } from '../../api/schemas/fields.ts';
import { listOf } from '../../api/schemas/shown.ts';
import { type IdKind, parsePublicId, publicId, type Uuid } from '../../ids.ts';
import { isEventFilter } from '../event-filter.ts';
import { getEvent, listEvents } from '../event-store.ts';

/** Accepts `type=payout.paid&type=account.*` and comma-separated values. */
const typeFilter = z
  .unknown()
  .check((context) => {
    if (givenTexts(context.value)?.every(isEventFilter)) return;
    const message = 'Expects names of events (payout.paid), groups (payout.*) or *.';
    context.issues.push({ code: 'custom', input: context.value, message });
  })
  .transform((value) => givenTexts(value)!)
  .optional()
  .meta({
    type: 'array',
    items: { type: 'string' },
    description: 'Events of any of these types, or groups (`payout.*`).',
  });

/** The kinds of objects that have events. */
const OBJECTS: readonly IdKind[] = ['payout', 'account', 'webhookEndpoint', 'exception'];

function parseObject(text: string): Uuid | undefined {
  for (const kind of OBJECTS) {
    const id = parsePublicId(kind, text);
    if (id !== undefined) return id;
  }
  return undefined;
}

const objectFilter = z
  .string()
  .check((context) => {
    if (parseObject(context.value) !== undefined) return;
    const message = `Expects the id of an object, such as ${exampleId('payout')}.`;
    context.issues.push({ code: 'custom', input: context.value, message });
  })
  .transform((text) => parseObject(text)!)
  .optional()
  .meta({ type: 'string', description: 'Events about this object.', example: exampleId('payout') });

const list = route({
  method: 'get',
  path: '/v1/events',
  operation: 'listEvents',
  tag: 'Events',
  summary: 'List events',
  description:
    'The same bytes that webhooks carry. Their `sequence` has no gaps, so that what was missed can be found.',
  scope: 'events:read',
  query: listQuery('event', { type: typeFilter, object: objectFilter, created_at: createdAtFilter }),
  responses: { 200: { description: 'Newest first.', schema: listOf(event, 'Event') } },
  async handle(request) {
    const { principal, query } = request;
    const filter = {
      bookId: principal.bookId,
      types: query.type,
      objectId: query.object,
      createdGte: query.created_at?.gte,
      createdLt: query.created_at?.lt,
    };
    const { rows, hasMore, reached } = await readList(request, (db) => listEvents(db, filter, pageRequest(query)));
    const last = reached ?? (query.ending_before === undefined ? rows.at(-1) : rows[0])?.id;
    const cursor = hasMore && last ? `"${publicId('event', last)}"` : 'null';
    // Joined as text, so that each event is shown byte for byte as stored.
    const data = rows.map(({ payload }) => payload).join(',');
    return {
      status: 200,
      text: `{"object":"list","data":[${data}],"has_more":${hasMore},"next_cursor":${cursor},"url":"/v1/events"}`,
    };
  },
});

const read = route({
  method: 'get',
  path: '/v1/events/:id',
  operation: 'getEvent',
  tag: 'Events',
  summary: 'Read an event',
  scope: 'events:read',
  params: { id: 'event' },
  responses: { 200: { description: 'It never changes.', schema: event } },
  async handle({ runtime, principal, params }) {
    const { payload } = found(await getEvent(runtime.pool, principal.bookId, params.id!));
    return { status: 200, text: payload };
  },
});

export const eventRoutes = [list, read];

/** Who may own keys: people and services of the organisation. The operator adds and ends people (`npm run keys -- person|end`). */
import { z } from 'zod';
import { isLive } from '../../api/answers.ts';
import type { Listed } from '../../api/api-resource.ts';
import { listQuery, pageAnswer, pageRequest, readList } from '../../api/pages.ts';
import { route, routesSince } from '../../api/route.ts';
import * as shown from '../../api/schemas/shown.ts';
import { formatInstant, formatInstantOrNull } from '../../values/clock.ts';
import { type Person, shownPersonId } from '../person.ts';
import { listPeopleOf } from '../person-store.ts';

const person = z
  .object({
    id: z.string().meta({
      description: 'Of a person `person_…`, of a service `svc_…`.',
      example: 'person_01h455vb4pex5vsknk084sn02q',
    }),
    object: z.literal('person'),
    livemode: shown.livemode,
    type: shown.oneOf(['person', 'service'], { description: 'Only persons approve.' }),
    name: shown.nameShown,
    ended_at: shown.time('When the person left, in wall time; null before that.').nullable(),
    created_at: shown.time('When it was added, in wall time.'),
  })
  .meta({
    id: 'Person',
    description: 'A person or a service of the organisation, who may own keys of both of its books.',
  });

const people: Listed<Person> = {
  path: '/v1/people',
  type: 'Person',
  schema: person,
  cursor: 'owner',
  declared: null,
  view: (one, { livemode }) => ({
    id: shownPersonId(one),
    object: 'person',
    livemode,
    type: one.kind,
    name: one.name,
    ended_at: formatInstantOrNull(one.endedAt),
    created_at: formatInstant(one.createdAt),
  }),
};

const list = route({
  method: 'get',
  path: people.path,
  operation: 'listPeople',
  tag: 'Keys',
  of: { resource: people, kind: 'list' },
  summary: 'List people and services',
  description: 'Those of the organisation, in both of its books the same; who has ended, too.',
  scope: 'api_keys:read',
  query: listQuery(people.cursor, {}),
  responses: { 200: { description: 'Newest first.', schema: shown.listOf(person, people.type) } },
  async handle(request) {
    const { principal, query, runtime } = request;
    const page = await readList(request, (db) => listPeopleOf(db, principal.organisationId, pageRequest(query)));
    const seen = { livemode: isLive(principal), wall: runtime.clock.now() };
    return pageAnswer(page, { query, url: people.path, cursor: people.cursor }, (one) => people.view(one, seen));
  },
});

export const peopleRoutes = routesSince('0.4.0', [list]);

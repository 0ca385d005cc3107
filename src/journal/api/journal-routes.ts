import { actorOf, found, runCommand } from '../../api/answers.ts';
import { route, routesSince } from '../../api/route.ts';
import { loadBook } from '../../ledger/book/book-store.ts';
import { changeTimeZone } from '../change-time-zone.ts';
import { journalView } from '../journal-view.ts';
import * as schemas from './journal-schemas.ts';

const path = '/v1/journal';

const read = route({
  method: 'get',
  path,
  operation: 'getJournal',
  tag: 'Journal',
  summary: 'Retrieve the journal',
  scope: 'journal:read',
  responses: { 200: { description: 'As it is now.', schema: schemas.journal } },
  async handle({ runtime, principal }) {
    return { status: 200, json: journalView(found(await loadBook(runtime.pool, principal.bookId))) };
  },
});

const update = route({
  method: 'patch',
  path,
  operation: 'updateJournal',
  tag: 'Journal',
  summary: 'Set the time zone of the book',
  description:
    'Until the first entry of the book, which fixes it. What was given a moment by a day before keeps that moment.',
  scope: 'journal:write',
  body: schemas.updateJournal,
  bodyExample: { time_zone: 'Asia/Amman' },
  responses: { 200: { description: 'The journal as it is now.', schema: schemas.journal } },
  errors: ['state_conflict'],
  handle(request) {
    const { body, principal, requestId } = request;
    return runCommand(request, changeTimeZone({ timeZone: body.time_zone, requestId, actor: actorOf(principal) }));
  },
});

export const journalRoutes = routesSince('0.4.0', [read, update]);

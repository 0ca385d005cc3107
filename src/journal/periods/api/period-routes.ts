import { apiOf } from '../../../api/api-resource.ts';
import { oneOrMore } from '../../../api/pages.ts';
import { listRoute, readRoute, timelineRoute } from '../../../api/read-routes.ts';
import { type RouteRequest, route, routesSince } from '../../../api/route.ts';
import { askedBy, runUseCase } from '../../../api/run-use-case.ts';
import { waitFor } from '../../../api/waits.ts';
import { journal } from '../../api/journal-schemas.ts';
import { requestClose } from '../close-books.ts';
import { periodResource } from '../period-resource.ts';
import { listPeriods } from '../period-store.ts';
import { requestReopening } from '../reopen-books.ts';
import * as schemas from './period-schemas.ts';

export const periodApi = apiOf(periodResource, {
  path: '/v1/journal/periods',
  tag: 'Journal',
  type: 'Period',
  names: { types: 'Periods', one: 'a period', many: 'periods' },
  schema: schemas.period,
  scopes: { read: 'journal:read', write: 'journal:close' },
});

const list = listRoute(periodApi, {
  filters: { status: oneOrMore(schemas.PERIOD_STATUSES, 'Periods in any of these states.') },
  rows: (db, { bookId, query, page }) => listPeriods(db, { bookId, statuses: query.status }, page),
});

const asked = (request: RouteRequest) => ({ ...askedBy(request), ownerKind: request.principal.ownerKind });

const close = route({
  method: 'post',
  path: '/v1/journal/periods/close',
  operation: 'closeBooks',
  tag: 'Journal',
  summary: 'Close days of the book',
  description:
    "With the key of a person. From then on no entry takes effect on a day up to `through`: what is asked for is refused with `period_closed`, and what the system books takes effect on the first open day, with `occurred_on`. What came since the last close is then verified; with findings the period is `refused`, and the days are open again. One close at a time. In the operator's book each bank account needs a posted statement that reaches `through`: else 409, and `blocked_by` names them.",
  scope: 'journal:close',
  idempotency: 'optional',
  waits: waitFor(periodResource),
  body: schemas.closeBooks,
  bodyExample: { through: '2026-03-31', reason: 'March' },
  responses: { 202: { description: 'The days are closed, and are being verified.', schema: schemas.period } },
  errors: ['state_conflict', 'card_number_not_allowed'],
  handle(request) {
    const { through, reason = null } = request.body;
    return runUseCase(request, requestClose, { ...asked(request), through, reason });
  },
});

const reopen = route({
  method: 'post',
  path: '/v1/journal/periods/reopen',
  operation: 'reopenBooks',
  tag: 'Journal',
  summary: 'Open closed days of the book',
  description:
    'With the key of another person than who closed them. Nothing is dated again: what took effect on the first open day stays there.',
  scope: 'journal:close',
  idempotency: 'optional',
  body: schemas.reopenBooks,
  bodyExample: { after: '2026-02-28', reason: 'The invoice of the landlord was missing.' },
  responses: { 200: { description: 'The journal as it is now.', schema: journal } },
  errors: ['state_conflict', 'self_approval_forbidden', 'limit_exceeded', 'card_number_not_allowed'],
  handle(request) {
    return runUseCase(request, requestReopening, { ...asked(request), ...request.body });
  },
});

export const periodRoutes = routesSince('0.4.0', [
  list,
  close,
  reopen,
  readRoute(periodApi, { waits: waitFor(periodResource) }),
  timelineRoute(periodApi),
]);

import { z } from 'zod';
import { apiOf } from '../../api/api-resource.ts';
import { createdAtFilter, oneOrMore } from '../../api/pages.ts';
import { listRoute, readRoute, timelineRoute } from '../../api/read-routes.ts';
import type { RouteRequest } from '../../api/route.ts';
import { askedBy, runUseCase } from '../../api/run-use-case.ts';
import { exampleId } from '../../api/schemas/fields.ts';
import { actionRoute } from '../../api/write-routes.ts';
import { ID_KINDS, parsePublicId, type Uuid } from '../../values/ids.ts';
import { EXCEPTION_STATUSES } from '../exception.ts';
import { EXCEPTION_KINDS } from '../exception-kind.ts';
import { listExceptions } from '../exception-list-store.ts';
import { exceptionResource } from '../exception-resource.ts';
import { requestApproval, requestAssign, requestExplanation } from '../handle-exception.ts';
import { requestMove } from '../move-exception.ts';
import { bulkExceptionRoutes } from './bulk-routes.ts';
import * as schemas from './exception-schemas.ts';

export const exceptionApi = apiOf(exceptionResource, {
  path: '/v1/exceptions',
  tag: 'Exceptions',
  type: 'Exception',
  names: { types: 'Exceptions', one: 'an exception', many: 'exceptions' },
  schema: schemas.exception,
  scopes: { read: 'exceptions:read', write: 'exceptions:write' },
});

/** A resource without public ids is named by its UUID, as the exception shows it. */
function parseResource(text: string): Uuid | undefined {
  for (const kind of ID_KINDS) {
    const id = parsePublicId(kind, text);
    if (id !== undefined) return id;
  }
  return z.uuid().safeParse(text).data;
}

const resourceFilter = z
  .string()
  .check((context) => {
    if (parseResource(context.value) !== undefined) return;
    const message = `Expects the id of an object, such as ${exampleId('payout')}.`;
    context.issues.push({ code: 'custom', input: context.value, message });
  })
  .transform((text) => parseResource(text)!)
  .optional()
  .meta({ type: 'string', description: 'Exceptions about this object.', example: exampleId('payout') });

const list = listRoute(exceptionApi, {
  filters: {
    status: oneOrMore(EXCEPTION_STATUSES, 'Exceptions in any of these states.'),
    kind: oneOrMore(EXCEPTION_KINDS, 'Exceptions of any of these kinds.'),
    resource: resourceFilter,
    created_at: createdAtFilter,
  },
  rows(db, { bookId, query, page }) {
    const { status: statuses, kind: kinds, resource: resourceId, created_at: created } = query;
    return listExceptions(db, bookId, { statuses, kinds, resourceId, created }, page);
  },
});

/** The caller, and the exception. */
const asked = (request: RouteRequest) => ({
  ...askedBy(request),
  exceptionId: request.params.id!,
  ifMatch: request.ifMatch,
  ownerKind: request.principal.ownerKind,
});

const assign = actionRoute(exceptionApi, 'assign', {
  summary: 'Assign an exception',
  description: 'Gives it to a person. Again for another person, or to send back an explanation that does not convince.',
  body: schemas.assignException,
  bodyExample: { person: exampleId('person') },
  errors: ['resource_not_found'],
  handle(request) {
    const { organisationId } = request.principal;
    return runUseCase(request, requestAssign, { ...asked(request), organisationId, personId: request.body.person });
  },
});

const explain = actionRoute(exceptionApi, 'explain', {
  summary: 'Explain an exception',
  description: 'Nothing is booked. Another person approves. With the key of a person.',
  body: schemas.explainException,
  bodyExample: { reason: 'The payee confirmed that both payments were meant.' },
  errors: ['card_number_not_allowed'],
  handle(request) {
    return runUseCase(request, requestExplanation, { ...asked(request), reason: request.body.reason });
  },
});

const move = actionRoute(exceptionApi, 'move_to', {
  operation: 'moveException',
  summary: "Move an exception's money",
  description:
    'Books the amount of `waiting` from its account to a customer account of the same currency, in one entry. Another person approves. With the key of a person.',
  idempotency: 'required',
  body: schemas.moveException,
  bodyExample: { account: exampleId('account') },
  errors: [
    'resource_not_found',
    'destination_invalid',
    'currency_mismatch',
    'account_closed',
    'insufficient_funds',
    'limit_exceeded',
  ],
  handle(request) {
    return runUseCase(request, requestMove, { ...asked(request), accountId: request.body.account });
  },
});

const approve = actionRoute(exceptionApi, 'approve', {
  summary: 'Approve an exception',
  description: 'By another person than the one who explained it or moved its money. With the key of a person.',
  scope: 'exceptions:approve',
  body: schemas.approveException,
  bodyExample: { version: 3 },
  errors: ['self_approval_forbidden', 'version_mismatch'],
  handle(request) {
    return runUseCase(request, requestApproval, { ...asked(request), version: request.body.version });
  },
});

export const exceptionRoutes = [
  list,
  // Before the routes whose path takes any word at this place.
  ...bulkExceptionRoutes,
  readRoute(exceptionApi),
  timelineRoute(exceptionApi),
  assign,
  explain,
  move,
  approve,
];

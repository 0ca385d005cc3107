import { z } from 'zod';
import { found, isLive } from '../../api/answers.ts';
import {
  createdAtFilter,
  givenTexts,
  listQuery,
  oneOrMore,
  pageAnswer,
  pageRequest,
  readList,
} from '../../api/pages.ts';
import { type RouteRequest, route } from '../../api/route.ts';
import { askedBy, runUseCase } from '../../api/run-use-case.ts';
import { exampleId } from '../../api/schemas/fields.ts';
import { listOf } from '../../api/schemas/shown.ts';
import { timeline } from '../../api/schemas/timeline.ts';
import { ID_PREFIXES, type IdKind, parsePublicId, type Uuid } from '../../ids.ts';
import { readTimeline } from '../../timeline/timeline.ts';
import { EXCEPTION_STATUSES, type Exception } from '../exception.ts';
import { listExceptions } from '../exception-list-store.ts';
import { exceptions } from '../exception-table.ts';
import { exceptionView } from '../exception-view.ts';
import { declaredException } from '../index.ts';
import { requestApproval, requestAssign, requestExplanation, requestMove } from '../request-exception-action.ts';
import * as schemas from './exception-schemas.ts';

const tag = 'Exceptions';
const params = { id: 'exception' } as const;
const one = { 200: { description: 'As it is now.', schema: schemas.exception } };

async function findException({ runtime, principal, params: { id } }: RouteRequest): Promise<Exception> {
  return found(await exceptions.find(runtime.pool, principal.bookId, id!));
}

const KIND = /^[a-z_]{1,64}$/;

const kindFilter = z
  .unknown()
  .check((context) => {
    if (givenTexts(context.value)?.every((text) => KIND.test(text))) return;
    const message = 'Expects kinds of exceptions, such as paid_after_failed.';
    context.issues.push({ code: 'custom', input: context.value, message });
  })
  .transform((value) => [...new Set(givenTexts(value)!)])
  .optional()
  .meta({ type: 'array', items: { type: 'string' }, description: 'Exceptions of any of these kinds.' });

/** What has no ids of its own is named by its UUID, as the exception shows it. */
function parseResource(text: string): Uuid | undefined {
  for (const kind of Object.keys(ID_PREFIXES) as IdKind[]) {
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

const list = route({
  method: 'get',
  path: '/v1/exceptions',
  operation: 'listExceptions',
  tag,
  summary: 'List exceptions',
  scope: 'exceptions:read',
  query: listQuery('exception', {
    status: oneOrMore(EXCEPTION_STATUSES, 'Exceptions in any of these states.'),
    kind: kindFilter,
    resource: resourceFilter,
    created_at: createdAtFilter,
  }),
  responses: { 200: { description: 'Newest first.', schema: listOf(schemas.exception, 'Exception') } },
  async handle(request) {
    const { principal, query } = request;
    const filter = {
      statuses: query.status,
      kinds: query.kind,
      resourceId: query.resource,
      created: { gte: query.created_at?.gte, lt: query.created_at?.lt },
    };
    const page = await readList(request, (db) => listExceptions(db, principal.bookId, filter, pageRequest(query)));
    return pageAnswer(page, { query, url: '/v1/exceptions', kind: 'exception' }, (exception) =>
      exceptionView(exception, isLive(principal)),
    );
  },
});

const read = route({
  method: 'get',
  path: '/v1/exceptions/:id',
  operation: 'getException',
  tag,
  summary: 'Read an exception',
  scope: 'exceptions:read',
  params,
  responses: one,
  async handle(request) {
    return { status: 200, json: exceptionView(await findException(request), isLive(request.principal)) };
  },
});

const history = route({
  method: 'get',
  path: '/v1/exceptions/:id/timeline',
  operation: 'getExceptionTimeline',
  tag,
  summary: 'What happened to an exception',
  scope: 'exceptions:read',
  params,
  responses: { 200: { description: 'Oldest first.', schema: timeline } },
  async handle(request) {
    const { id } = await findException(request);
    const { bookId } = request.principal;
    const json = await readList(request, (db) => readTimeline(db, { bookId, resource: declaredException, id }));
    return { status: 200, json };
  },
});

const assign = route({
  method: 'post',
  path: '/v1/exceptions/:id/assign',
  operation: 'assignException',
  tag,
  summary: 'Give an exception to a person',
  description: 'Again for another person, or to send back an explanation that does not convince.',
  scope: 'exceptions:write',
  params,
  ifMatch: true,
  body: schemas.assignException,
  bodyExample: { person: exampleId('person') },
  responses: one,
  errors: ['state_conflict', 'resource_not_found'],
  handle(request) {
    const { body, ifMatch, principal } = request;
    const asked = { ...askedBy(request), exceptionId: request.params.id!, ifMatch };
    const { organisationId } = principal;
    return runUseCase(request, requestAssign, { ...asked, organisationId, personId: body.person });
  },
});

const explain = route({
  method: 'post',
  path: '/v1/exceptions/:id/explain',
  operation: 'explainException',
  tag,
  summary: 'Explain an exception',
  description: 'Nothing is booked. Another person approves.',
  scope: 'exceptions:write',
  params,
  ifMatch: true,
  body: schemas.explainException,
  bodyExample: { reason: 'The payee confirmed that both payments were meant.' },
  responses: one,
  errors: ['state_conflict', 'card_number_not_allowed'],
  handle(request) {
    const { body, ifMatch } = request;
    const asked = { ...askedBy(request), exceptionId: request.params.id!, ifMatch };
    return runUseCase(request, requestExplanation, { ...asked, reason: body.reason });
  },
});

const move = route({
  method: 'post',
  path: '/v1/exceptions/:id/move_to',
  operation: 'moveException',
  tag,
  summary: 'Move what waits to another account',
  description:
    'Books the amount of `waiting` from its account to a customer account of the same currency: `waiting` → the account given, in one entry. Another person approves.',
  scope: 'exceptions:write',
  params,
  ifMatch: true,
  idempotency: 'required',
  body: schemas.moveException,
  bodyExample: { account: exampleId('account') },
  responses: one,
  errors: [
    'state_conflict',
    'resource_not_found',
    'destination_invalid',
    'currency_mismatch',
    'account_closed',
    'insufficient_funds',
    'limit_exceeded',
  ],
  handle(request) {
    const { body, ifMatch } = request;
    const asked = { ...askedBy(request), exceptionId: request.params.id!, ifMatch };
    return runUseCase(request, requestMove, { ...asked, accountId: body.account });
  },
});

const approve = route({
  method: 'post',
  path: '/v1/exceptions/:id/approve',
  operation: 'approveException',
  tag,
  summary: 'Approve what was made of an exception',
  description: 'By another person than the one who explained it or moved its money. Keys of services do not approve.',
  scope: 'exceptions:approve',
  params,
  ifMatch: true,
  body: schemas.approveException,
  bodyExample: { version: 3 },
  responses: one,
  errors: ['state_conflict', 'self_approval_forbidden', 'version_mismatch'],
  handle(request) {
    const { body, ifMatch, principal } = request;
    const asked = { ...askedBy(request), exceptionId: request.params.id!, ifMatch };
    return runUseCase(request, requestApproval, { ...asked, ownerKind: principal.ownerKind, version: body.version });
  },
});

export const exceptionRoutes = [list, read, history, assign, explain, move, approve];

/** An action on up to a hundred exceptions at once (handle-several.ts). */
import { route, routesSince } from '../../api/route.ts';
import { askedBy, runUseCase } from '../../api/run-use-case.ts';
import { exampleId } from '../../api/schemas/fields.ts';
import { requestApprovals, requestAssignments } from '../handle-several.ts';
import * as schemas from './exception-schemas.ts';

const RESPONSES = {
  200: { description: 'What became of each, in the order of the items.', schema: schemas.exceptionAnswers },
};

const assignAll = route({
  method: 'post',
  path: '/v1/exceptions/assign',
  operation: 'assignExceptions',
  tag: 'Exceptions',
  summary: 'Assign exceptions',
  description:
    'Gives up to a hundred exceptions to a person. Each has an answer of its own, that of `/assign`, and one that is refused hinders no other. Where the request ends without an answer, it goes on when it is sent again under its Idempotency-Key.',
  scope: 'exceptions:write',
  body: schemas.assignExceptions,
  bodyExample: { items: [exampleId('exception')], person: exampleId('person') },
  responses: RESPONSES,
  handle(request) {
    const { organisationId } = request.principal;
    const { items, person: personId } = request.body;
    return runUseCase(request, requestAssignments, {
      ...askedBy(request),
      items: [...new Set(items)].map((exceptionId) => ({ exceptionId, organisationId, personId })),
    });
  },
});

const approveAll = route({
  method: 'post',
  path: '/v1/exceptions/approve',
  operation: 'approveExceptions',
  tag: 'Exceptions',
  summary: 'Approve exceptions',
  description:
    'Approves up to a hundred exceptions, each at the version that you have looked at. Each has an answer of its own, that of `/approve`, and one that is refused hinders no other. Where the request ends without an answer, it goes on when it is sent again under its Idempotency-Key. With the key of a person.',
  scope: 'exceptions:approve',
  body: schemas.approveExceptions,
  bodyExample: { items: [{ id: exampleId('exception'), version: 3 }] },
  responses: RESPONSES,
  handle(request) {
    const { ownerKind } = request.principal;
    const versions = new Map(request.body.items.map(({ id, version }) => [id, version]));
    return runUseCase(request, requestApprovals, {
      ...askedBy(request),
      items: [...versions].map(([exceptionId, version]) => ({ exceptionId, ownerKind, version })),
    });
  },
});

export const bulkExceptionRoutes = routesSince('0.4.0', [assignAll, approveAll]);

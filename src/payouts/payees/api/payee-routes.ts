/** Saved destinations. */

import { changedBy, runCommand } from '../../../api/answers.ts';
import { apiOf } from '../../../api/api-resource.ts';
import { createdAtFilter, externalIdFilter, metadataFilter, oneOrMore } from '../../../api/pages.ts';
import { listRoute, readRoute, timelineRoute } from '../../../api/read-routes.ts';
import { routesSince } from '../../../api/route.ts';
import { askedBy, runUseCase } from '../../../api/run-use-case.ts';
import { actionRoute, createRoute, updateRoute } from '../../../api/write-routes.ts';
import { inputOf } from '../../destinations/api/destination-schemas.ts';
import { disablePayee, enablePayee } from '../act-on-payee.ts';
import { payeeResource } from '../payee-resource.ts';
import { listPayees } from '../payee-store.ts';
import { requestPayee, requestPayeeUpdate } from '../save-payee.ts';
import * as schemas from './payee-schemas.ts';

export const payeeApi = apiOf(payeeResource, {
  path: '/v1/payees',
  tag: 'Payouts',
  type: 'Payee',
  names: { types: 'Payees', one: 'a payee', many: 'payees' },
  schema: schemas.payee,
  scopes: { read: 'payees:read', write: 'payees:write' },
});

const create = createRoute(payeeApi, {
  summary: 'Save a payee',
  body: schemas.createPayee,
  bodyExample: schemas.createPayeeExample,
  responses: { 201: { description: 'Saved: payouts may name it.', schema: schemas.payee } },
  errors: ['resource_not_found', 'token_invalid', 'card_number_not_allowed'],
  handle(request) {
    const { name, destination, external_id: externalId = null, metadata = {} } = request.body;
    const asked = { ...askedBy(request), name, destination: inputOf(destination), externalId, metadata };
    return runUseCase(request, requestPayee, asked);
  },
});

const list = listRoute(payeeApi, {
  filters: {
    status: oneOrMore(schemas.PAYEE_STATUSES, 'Payees in any of these states.'),
    created_at: createdAtFilter,
    external_id: externalIdFilter,
    metadata: metadataFilter,
  },
  rows(db, { bookId, query, page }) {
    const { status: statuses, created_at: created, external_id: externalId, metadata } = query;
    return listPayees(db, bookId, { statuses, created, externalId, metadata }, page);
  },
});

const update = updateRoute(payeeApi, {
  summary: 'Update a payee',
  description: 'A new name or destination is a new `destination_version`. Payouts that were made before keep theirs.',
  body: schemas.updatePayee,
  bodyExample: { external_id: 'supplier-8' },
  errors: ['token_invalid', 'card_number_not_allowed'],
  handle(request) {
    const { body, params, ifMatch } = request;
    return runUseCase(request, requestPayeeUpdate, {
      ...askedBy(request),
      payeeId: params.id!,
      ifMatch,
      name: body.name,
      destination: body.destination && inputOf(body.destination),
      externalId: body.external_id,
      metadata: body.metadata,
    });
  },
});

const disable = actionRoute(payeeApi, 'disable', {
  summary: 'Disable a payee',
  description: 'No new payout to it is accepted. Payouts that were made before go on.',
  handle: (request) => runCommand(request, disablePayee({ ...changedBy(request), payeeId: request.params.id! })),
});

const enable = actionRoute(payeeApi, 'enable', {
  summary: 'Enable a payee',
  handle: (request) => runCommand(request, enablePayee({ ...changedBy(request), payeeId: request.params.id! })),
});

export const payeeRoutes = routesSince('0.4.0', [
  create,
  readRoute(payeeApi),
  list,
  update,
  disable,
  enable,
  timelineRoute(payeeApi),
]);

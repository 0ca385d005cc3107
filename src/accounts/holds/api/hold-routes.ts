import type { ApiResource } from '../../../api/api-resource.ts';
import { createdAtFilter, externalIdFilter, metadataFilter, oneOrMore } from '../../../api/pages.ts';
import { childrenRoute, readRoute, timelineRoute } from '../../../api/read-routes.ts';
import type { RouteRequest } from '../../../api/route.ts';
import { askedBy, runUseCase } from '../../../api/run-use-case.ts';
import { actionRoute, createRoute } from '../../../api/write-routes.ts';
import type { Shown } from '../../../ledger/resources/resource.ts';
import { currencyExponent } from '../../../money/currency.ts';
import { formatInstant, formatInstantOrNull } from '../../../values/clock.ts';
import { publicId, resourceReference } from '../../../values/ids.ts';
import { accountApi } from '../../account/api/account-routes.ts';
import { type AccountHold, accountHoldView, HOLD_CHANGES_MAX } from '../account-hold.ts';
import { accountHoldResource } from '../account-hold-resource.ts';
import { type FoundHold, findHold, listAccountHolds } from '../account-hold-store.ts';
import { requestHoldIncrease, requestHoldRelease } from '../change-hold.ts';
import { requestHold } from '../place-hold.ts';
import * as schemas from './hold-schemas.ts';

export const holdApi: ApiResource<FoundHold> = {
  path: '/v1/accounts/:id/holds',
  tag: 'Accounts',
  type: 'Hold',
  names: { types: 'Holds', one: 'a hold', many: 'holds' },
  declared: accountHoldResource,
  cursor: 'hold',
  schema: schemas.hold,
  scopes: { read: 'accounts:read', write: 'accounts:write' },
  parent: { resource: accountApi, param: 'hold', idOf: ({ hold }) => hold.accountId },
  find: findHold,
  view: viewOf,
};

/** The refusals of an amount to hold. */
const REFUSALS = [
  'amount_not_integer',
  'amount_below_minimum',
  'amount_above_maximum',
  'insufficient_funds',
  'account_frozen',
  'account_closed',
] as const;

const create = createRoute(holdApi, {
  summary: 'Create a hold',
  description:
    'The amount is no longer available, and nothing is booked. It is released, or given back when it expires.',
  idempotency: 'required',
  body: schemas.createHold,
  bodyExample: schemas.createHoldExample,
  responses: { 201: { description: 'Held.', schema: schemas.hold } },
  errors: REFUSALS,
  handle(request) {
    const { body, params } = request;
    return runUseCase(request, requestHold, {
      ...askedBy(request),
      accountId: params.id!,
      amount: body.amount,
      expiresAt: body.expires_at ?? null,
      description: body.description ?? null,
      externalId: body.external_id ?? null,
      metadata: body.metadata ?? {},
    });
  },
});

const list = childrenRoute(
  accountApi,
  { ...holdApi, view: (hold: AccountHold, { livemode }) => accountHoldView(hold, livemode) },
  {
    operation: 'listHolds',
    summary: 'List holds of an account',
    description: 'Those that were placed here. Those that a resource made, such as a payout, are read by id.',
    filters: {
      status: oneOrMore(schemas.HOLD_STATUSES, 'Holds in any of these states.'),
      created_at: createdAtFilter,
      external_id: externalIdFilter,
      metadata: metadataFilter,
    },
    rows(db, { bookId, parentId: accountId, query, page }) {
      const { status: statuses, created_at: created, external_id: externalId, metadata } = query;
      const filter = { accountId, statuses, createdGte: created?.gte, createdLt: created?.lt, externalId, metadata };
      return listAccountHolds(db, bookId, filter, page);
    },
  },
);

const read = readRoute(holdApi);

/** A hold that a resource made has no profile of its own. */
function viewOf({ hold, placed, captured, released }: FoundHold, { livemode }: Shown) {
  if (placed) return accountHoldView(placed, livemode);
  return {
    id: publicId('hold', hold.id),
    object: 'hold',
    livemode,
    status: hold.status,
    account: publicId('account', hold.accountId),
    amount: hold.amount,
    remaining: hold.remaining,
    captured,
    released,
    currency: hold.currency,
    currency_exponent: currencyExponent(hold.currency),
    origin: { resource: hold.resource, id: resourceReference(hold.resource, hold.resourceId) },
    expires_at: formatInstantOrNull(hold.expiresAt),
    description: null,
    metadata: {},
    external_id: null,
    journal_entries: [],
    allowed_actions: [],
    request_id: null,
    version: hold.steps,
    created_at: formatInstant(hold.createdAt),
    updated_at: formatInstant(hold.updatedAt),
  };
}

const release = actionRoute(holdApi, 'release', {
  summary: 'Release a hold',
  description: 'Gives back what it sets aside, whole or in part.',
  idempotency: 'required',
  body: schemas.releaseHold,
  bodyExample: { amount: 10_000 },
  responses: { 200: { description: 'The hold after it.', schema: schemas.hold } },
  errors: ['amount_not_integer', 'amount_below_minimum', 'amount_above_maximum', 'limit_exceeded'],
  handle: (request) => runUseCase(request, requestHoldRelease, { ...changeOf(request), amount: request.body.amount }),
});

const increase = actionRoute(holdApi, 'increase', {
  summary: 'Increase a hold',
  description: `\`amount\` is the new total of all that was ever set aside. A hold is changed at most ${HOLD_CHANGES_MAX} times.`,
  idempotency: 'required',
  body: schemas.increaseHold,
  bodyExample: { amount: 40_000 },
  responses: { 200: { description: 'The hold after it.', schema: schemas.hold } },
  errors: [...REFUSALS, 'limit_exceeded'],
  handle: (request) => runUseCase(request, requestHoldIncrease, { ...changeOf(request), amount: request.body.amount }),
});

function changeOf(request: RouteRequest) {
  const { id, hold } = request.params;
  return { ...askedBy(request), accountId: id!, holdId: hold!, ifMatch: request.ifMatch };
}

export const holdRoutes = [create, list, read, increase, release, timelineRoute(holdApi)];

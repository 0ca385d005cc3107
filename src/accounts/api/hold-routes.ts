import { actorOf, found, isKnownRequest, isLive, runCommand } from '../../api/answers.ts';
import {
  createdAtFilter,
  externalIdFilter,
  listQuery,
  metadataFilter,
  oneOrMore,
  pageAnswer,
  pageRequest,
  readList,
} from '../../api/pages.ts';
import { type RouteRequest, route } from '../../api/route.ts';
import { askedBy, runUseCase } from '../../api/run-use-case.ts';
import { listOf } from '../../api/schemas/shown.ts';
import { timeline } from '../../api/schemas/timeline.ts';
import { formatInstant, formatInstantOrNull, type Instant } from '../../clock.ts';
import { ApiError } from '../../errors.ts';
import { publicId, resourceReference } from '../../ids.ts';
import { momentOf } from '../../ledger/batch.ts';
import { loadBook } from '../../ledger/book-store.ts';
import { currencyExponent } from '../../money/currency.ts';
import { readTimeline } from '../../timeline/timeline.ts';
import { accountHoldView } from '../account-hold.ts';
import { type FoundHold, listAccountHolds } from '../account-hold-store.ts';
import { findCustomerAccount } from '../customer-account-store.ts';
import { declaredHold } from '../index.ts';
import { placeAccountHold } from '../place-hold.ts';
import { requestHoldIncrease, requestHoldRelease, requireHold } from '../request-hold-change.ts';
import * as schemas from './hold-schemas.ts';

const tag = 'Accounts';
const params = { id: 'account', hold: 'hold' } as const;

function findHoldOf({ runtime, principal, params: { id, hold } }: RouteRequest): Promise<FoundHold> {
  return requireHold(runtime.pool, principal.bookId, { accountId: id!, holdId: hold! });
}

const create = route({
  method: 'post',
  path: '/v1/accounts/:id/holds',
  operation: 'createHold',
  tag,
  summary: 'Hold an amount of an account',
  description:
    'The amount is no longer available, and nothing is booked. It is released, or given back when it expires.',
  scope: 'accounts:write',
  idempotency: 'required',
  params: { id: 'account' },
  body: schemas.createHold,
  bodyExample: schemas.createHoldExample,
  responses: { 201: { description: 'Held.', schema: schemas.hold } },
  errors: [
    'amount_not_integer',
    'amount_below_minimum',
    'amount_above_maximum',
    'insufficient_funds',
    'account_frozen',
    'account_closed',
  ],
  async handle(request) {
    const { body, principal, requestId, params } = request;
    if (body.expires_at !== undefined && !(await isKnownRequest(request))) await refusePast(request, body.expires_at);
    const command = placeAccountHold({
      accountId: params.id!,
      amount: body.amount,
      expiresAt: body.expires_at ?? null,
      description: body.description ?? null,
      externalId: body.external_id ?? null,
      metadata: body.metadata ?? {},
      requestId,
      actor: actorOf(principal),
    });
    return runCommand(request, command);
  },
});

async function refusePast({ runtime, principal }: RouteRequest, at: Instant): Promise<void> {
  const book = await loadBook(runtime.pool, principal.bookId);
  if (!book || at > momentOf(runtime.clock, book).book) return;
  const detail = 'Expects a moment that is not over by the clock of the book.';
  throw new ApiError('parameter_invalid', { param: '/expires_at', detail });
}

const list = route({
  method: 'get',
  path: '/v1/accounts/:id/holds',
  operation: 'listHolds',
  tag,
  summary: 'List the holds that were placed on an account',
  description: 'Those that a resource made, such as a payout, are read by id.',
  scope: 'accounts:read',
  params: { id: 'account' },
  query: listQuery('hold', {
    status: oneOrMore(schemas.HOLD_STATUSES, 'Holds in any of these states.'),
    created_at: createdAtFilter,
    external_id: externalIdFilter,
    metadata: metadataFilter,
  }),
  responses: { 200: { description: 'Newest first.', schema: listOf(schemas.hold, 'Hold') } },
  async handle(request) {
    const { runtime, principal, query } = request;
    const { account } = found(await findCustomerAccount(runtime.pool, principal.bookId, request.params.id!));
    const filter = {
      accountId: account.id,
      statuses: query.status,
      createdGte: query.created_at?.gte,
      createdLt: query.created_at?.lt,
      externalId: query.external_id,
      metadata: query.metadata,
    };
    const page = await readList(request, (db) => listAccountHolds(db, principal.bookId, filter, pageRequest(query)));
    const url = `/v1/accounts/${publicId('account', account.id)}/holds`;
    return pageAnswer(page, { query, url, cursor: 'hold' }, (hold) => accountHoldView(hold, isLive(principal)));
  },
});

const read = route({
  method: 'get',
  path: '/v1/accounts/:id/holds/:hold',
  operation: 'getHold',
  tag,
  summary: 'Read a hold',
  scope: 'accounts:read',
  params,
  responses: { 200: { description: 'As it is now.', schema: schemas.hold } },
  async handle(request) {
    return { status: 200, json: viewOf(await findHoldOf(request), isLive(request.principal)) };
  },
});

/** A hold that a resource made has nothing of its own to say. */
function viewOf({ hold, placed, captured, released }: FoundHold, livemode: boolean) {
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

const release = route({
  method: 'post',
  path: '/v1/accounts/:id/holds/:hold/release',
  operation: 'releaseHold',
  tag,
  summary: 'Give back what a hold sets aside, whole or in part',
  scope: 'accounts:write',
  idempotency: 'required',
  ifMatch: true,
  params,
  body: schemas.releaseHold,
  bodyExample: { amount: 10_000 },
  responses: { 200: { description: 'The hold after it.', schema: schemas.hold } },
  errors: ['state_conflict', 'amount_not_integer', 'amount_below_minimum', 'amount_above_maximum'],
  handle(request) {
    const { body, ifMatch } = request;
    const { id: accountId, hold: holdId } = request.params as { id: string; hold: string };
    const asked = { ...askedBy(request), accountId, holdId, amount: body.amount, ifMatch };
    return runUseCase(request, requestHoldRelease, asked);
  },
});

const increase = route({
  method: 'post',
  path: '/v1/accounts/:id/holds/:hold/increase',
  operation: 'increaseHold',
  tag,
  summary: 'Hold more under the same hold',
  description: '`amount` is the new total.',
  scope: 'accounts:write',
  idempotency: 'required',
  ifMatch: true,
  params,
  body: schemas.increaseHold,
  bodyExample: { amount: 40_000 },
  responses: { 200: { description: 'The hold after it.', schema: schemas.hold } },
  errors: [
    'state_conflict',
    'amount_not_integer',
    'amount_below_minimum',
    'amount_above_maximum',
    'insufficient_funds',
    'account_frozen',
    'account_closed',
  ],
  handle(request) {
    const { body, ifMatch } = request;
    const { id: accountId, hold: holdId } = request.params as { id: string; hold: string };
    const asked = { ...askedBy(request), accountId, holdId, amount: body.amount, ifMatch };
    return runUseCase(request, requestHoldIncrease, asked);
  },
});

const history = route({
  method: 'get',
  path: '/v1/accounts/:id/holds/:hold/timeline',
  operation: 'getHoldTimeline',
  tag,
  summary: 'What happened to a hold',
  scope: 'accounts:read',
  params,
  responses: { 200: { description: 'Oldest first.', schema: timeline } },
  async handle(request) {
    const { bookId } = request.principal;
    const { hold } = await findHoldOf(request);
    return {
      status: 200,
      json: await readList(request, (db) => readTimeline(db, { bookId, resource: declaredHold, id: hold.id })),
    };
  },
});

export const holdRoutes = [create, list, read, increase, release, history];

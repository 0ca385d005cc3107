import { z } from 'zod';
import { actorOf, found, isLive } from '../../api/answers.ts';
import {
  createdAtFilter,
  externalIdFilter,
  listAnswer,
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
import { waitFor } from '../../api/waits.ts';
import { formatInstant } from '../../clock.ts';
import { publicId } from '../../ids.ts';
import { currencyExponent } from '../../money/currency.ts';
import { readTimeline } from '../../timeline/timeline.ts';
import { declaredPayout } from '../index.ts';
import type { Payout } from '../payout.ts';
import { listReturns, type PayoutReturn } from '../payout-children-tables.ts';
import { payoutResource } from '../payout-resource.ts';
import { listPayouts } from '../payout-store.ts';
import { payouts } from '../payout-table.ts';
import { payoutView } from '../payout-view.ts';
import { requestCancel } from '../request-cancel.ts';
import { requestPayout } from '../request-payout.ts';
import * as schemas from './payout-schemas.ts';
import { readPlainPayout } from './plain-payout.ts';

const dryRun = z
  .enum(['true', 'false'])
  .transform((text) => text === 'true')
  .default(false)
  .meta({ type: 'boolean', default: false, description: 'Same checks, nothing written, no key used.' });

const create = route({
  method: 'post',
  path: '/v1/payouts',
  operation: 'createPayout',
  tag: 'Payouts',
  summary: 'Request a payout',
  description:
    'Refuses what is certain to fail, and holds amount and fee in the same commit. The money moves afterwards: follow `status`, events, or `Prefer: wait`.',
  scope: 'payouts:write',
  idempotency: 'required',
  waits: waitFor(payoutResource),
  query: z.strictObject({ dry_run: dryRun }),
  body: schemas.createPayout,
  plainBody: readPlainPayout,
  bodyExample: schemas.createPayoutExample,
  responses: {
    200: { description: 'A dry run: what would happen.', schema: schemas.payoutPreview },
    202: { description: 'Accepted, and held for.', schema: schemas.payout },
  },
  errors: [
    'amount_not_integer',
    'amount_below_minimum',
    'amount_above_maximum',
    'currency_unsupported',
    'currency_mismatch',
    'resource_not_found',
    'insufficient_funds',
    'account_frozen',
    'account_closed',
    'destination_invalid',
    'limit_exceeded',
    'rail_unavailable',
  ],
  // Written out, without a spread: every request makes one (ARCHITECTURE.md, "Objects keep their shapes").
  handle(request) {
    const { principal, body } = request;
    return runUseCase(request, requestPayout, {
      bookId: principal.bookId,
      mode: principal.mode,
      actor: actorOf(principal),
      requestId: request.requestId,
      idempotencyKey: request.idempotencyKey,
      fingerprint: request.fingerprint(),
      dryRun: request.query.dry_run,
      amount: body.amount,
      currency: body.currency,
      destination: body.destination,
      accountId: body.account,
      description: body.description,
      externalId: body.external_id,
      metadata: body.metadata,
    });
  },
});

const list = route({
  method: 'get',
  path: '/v1/payouts',
  operation: 'listPayouts',
  tag: 'Payouts',
  summary: 'List payouts',
  scope: 'payouts:read',
  query: listQuery('payout', {
    status: oneOrMore(schemas.PAYOUT_STATUSES, 'Payouts in any of these states.'),
    created_at: createdAtFilter,
    external_id: externalIdFilter,
    metadata: metadataFilter,
  }),
  responses: { 200: { description: 'Newest first.', schema: listOf(schemas.payout, 'Payout') } },
  async handle(request) {
    const { principal, query } = request;
    const filter = {
      statuses: query.status,
      createdGte: query.created_at?.gte,
      createdLt: query.created_at?.lt,
      externalId: query.external_id,
      metadata: query.metadata,
    };
    const page = await readList(request, (db) => listPayouts(db, principal.bookId, filter, pageRequest(query)));
    return pageAnswer(page, { query, url: '/v1/payouts', kind: 'payout' }, (payout) =>
      payoutView(payout, isLive(principal)),
    );
  },
});

async function findPayout({ runtime, principal, params }: RouteRequest): Promise<Payout> {
  return found((await payouts.load(runtime.pool, principal.bookId, [params.id!])).get(params.id!));
}

const read = route({
  method: 'get',
  path: '/v1/payouts/:id',
  operation: 'getPayout',
  tag: 'Payouts',
  summary: 'Read a payout',
  scope: 'payouts:read',
  params: { id: 'payout' },
  waits: waitFor(payoutResource),
  responses: { 200: { description: 'As it is now.', schema: schemas.payout } },
  async handle(request) {
    const payout = await findPayout(request);
    return { status: 200, json: payoutView(payout, isLive(request.principal)), resourceId: payout.id };
  },
});

const cancel = route({
  method: 'post',
  path: '/v1/payouts/:id/cancel',
  operation: 'cancelPayout',
  tag: 'Payouts',
  summary: 'Cancel a payout that is still pending',
  description: 'Gives back what is held. Once it is on its way, a payout is not called back.',
  scope: 'payouts:write',
  params: { id: 'payout' },
  ifMatch: true,
  responses: { 200: { description: 'Canceled.', schema: schemas.payout } },
  errors: ['state_conflict'],
  handle(request) {
    const { params, ifMatch } = request;
    return runUseCase(request, requestCancel, { ...askedBy(request), payoutId: params.id!, ifMatch });
  },
});

const returns = route({
  method: 'get',
  path: '/v1/payouts/:id/returns',
  operation: 'listPayoutReturns',
  tag: 'Payouts',
  summary: 'What has come back of a payout',
  scope: 'payouts:read',
  params: { id: 'payout' },
  responses: {
    200: { description: 'All of them, oldest first.', schema: listOf(schemas.payoutReturn, 'PayoutReturn') },
  },
  async handle(request) {
    const { principal } = request;
    const payout = await findPayout(request);
    const rows = await readList(request, (db) => listReturns(db, principal.bookId, payout.id));
    const data = rows.map((row) => returnView(row, isLive(principal)));
    const url = `/v1/payouts/${publicId('payout', payout.id)}/returns`;
    return { status: 200, json: listAnswer({ data, hasMore: false, url, backwards: false, cursorOf: ({ id }) => id }) };
  },
});

function returnView(one: PayoutReturn, livemode: boolean) {
  return {
    id: publicId('payoutReturn', one.id),
    object: 'payout_return',
    livemode,
    payout: publicId('payout', one.payoutId),
    amount: one.amount,
    currency: one.currency,
    currency_exponent: currencyExponent(one.currency),
    reason: one.reason,
    journal_entries: [publicId('entry', one.entryId)],
    created_at: formatInstant(one.createdAt),
  };
}

const history = route({
  method: 'get',
  path: '/v1/payouts/:id/timeline',
  operation: 'getPayoutTimeline',
  tag: 'Payouts',
  summary: 'What happened to a payout',
  scope: 'payouts:read',
  params: { id: 'payout' },
  responses: { 200: { description: 'Oldest first.', schema: timeline } },
  async handle(request) {
    const payout = await findPayout(request);
    const { bookId } = request.principal;
    return {
      status: 200,
      json: await readList(request, (db) => readTimeline(db, { bookId, resource: declaredPayout, id: payout.id })),
    };
  },
});

export const payoutRoutes = [create, read, list, cancel, returns, history];

import { z } from 'zod';
import { actorOf, found, isLive, runCommand, storedAnswer } from '../../api/answers.ts';
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
import { type RouteAnswer, type RouteRequest, route } from '../../api/route.ts';
import { listOf } from '../../api/schemas/shown.ts';
import { timeline } from '../../api/schemas/timeline.ts';
import { formatInstant } from '../../clock.ts';
import type { OnceAnswer } from '../../idempotency/once.ts';
import { publicId } from '../../ids.ts';
import { toJson } from '../../json.ts';
import { currencyExponent } from '../../money/currency.ts';
import { readTimeline } from '../../timeline/timeline.ts';
import { cancelPayout } from '../cancel-payout.ts';
import { payoutResource } from '../index.ts';
import type { Payout } from '../payout.ts';
import { listReturns, type PayoutReturn } from '../payout-children-tables.ts';
import { listPayouts } from '../payout-store.ts';
import { payouts } from '../payout-table.ts';
import { payoutView } from '../payout-view.ts';
import { type DestinationInput, requestPayout } from '../request-payout.ts';
import * as schemas from './payout-schemas.ts';
import { readPlainPayout } from './plain-payout.ts';

const dryRun = z
  .enum(['true', 'false'])
  .transform((text) => text === 'true')
  .default(false)
  .meta({ type: 'boolean', default: false, description: 'Same checks, nothing written, no key used.' });

type CreateBody = z.output<typeof schemas.createPayout>;

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
  prefersWait: true,
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
  async handle(request) {
    const { runtime, principal, requestId, body, query } = request;
    const answer = await requestPayout(runtime, {
      bookId: principal.bookId,
      mode: principal.mode,
      actor: actorOf(principal),
      requestId,
      // A dry run needs no key. Its end-to-end id belongs to no payout.
      idempotencyKey: request.idempotencyKey ?? requestId,
      fingerprint: request.fingerprint(),
      dryRun: query.dry_run,
      amount: body.amount,
      currency: body.currency,
      destination: destinationOf(body.destination),
      accountId: body.account,
      description: body.description,
      externalId: body.external_id,
      metadata: body.metadata,
    });
    return held(request, answer);
  },
  replay: (request, answer) => held(request, answer),
});

function destinationOf(destination: CreateBody['destination']): DestinationInput {
  return destination.type === 'account' ? { type: 'account', accountId: destination.account } : destination;
}

/** The stored answer, or, with `Prefer: wait`, the payout once it has left its first status. */
async function held(request: RouteRequest, answer: OnceAnswer): Promise<RouteAnswer> {
  const stored = storedAnswer(answer);
  if (request.waitSeconds === undefined || answer.status >= 300 || answer.resourceId === undefined) return stored;
  const payout = await waitFor(request, answer.resourceId, request.waitSeconds);
  return payout ? { ...stored, text: toJson(payoutView(payout, isLive(request.principal))) } : stored;
}

function waitFor(request: RouteRequest, id: string, seconds: number): Promise<Payout | undefined> {
  const wait = request.services.waitersOf(payouts).waitFor({
    bookId: request.principal.bookId,
    id,
    isDone: ({ status }) => status !== 'pending',
    seconds,
    signal: request.disconnected(),
  });
  return request.aside(wait);
}

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
  prefersWait: true,
  responses: { 200: { description: 'As it is now.', schema: schemas.payout } },
  async handle(request) {
    const payout = await findPayout(request);
    const wait = payout.status === 'pending' ? request.waitSeconds : undefined;
    const latest = wait === undefined ? payout : ((await waitFor(request, payout.id, wait)) ?? payout);
    return { status: 200, json: payoutView(latest, isLive(request.principal)) };
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
  async handle(request) {
    const payout = await findPayout(request);
    const { principal, requestId, ifMatch } = request;
    return runCommand(
      request,
      cancelPayout(principal.bookId, payout, { ifMatch, requestId, actor: actorOf(principal) }),
    );
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
      json: await readList(request, (db) => readTimeline(db, { bookId, resource: payoutResource, id: payout.id })),
    };
  },
});

export const payoutRoutes = [create, read, list, cancel, returns, history];

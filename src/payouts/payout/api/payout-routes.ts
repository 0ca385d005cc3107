import { actorOf } from '../../../api/answers.ts';
import type { ApiResource } from '../../../api/api-resource.ts';
import { dryRunQuery } from '../../../api/dry-run.ts';
import { createdAtFilter, externalIdFilter, metadataFilter, oneOrMore } from '../../../api/pages.ts';
import { listRoute, readRoute, timelineRoute } from '../../../api/read-routes.ts';
import { askedBy, runUseCase } from '../../../api/run-use-case.ts';
import { reference } from '../../../api/schemas/fields.ts';
import { waitFor } from '../../../api/waits.ts';
import { actionRoute, createRoute } from '../../../api/write-routes.ts';
import { declaredPayout } from '../../index.ts';
import type { Payout } from '../payout.ts';
import { payoutResource } from '../payout-resource.ts';
import { listPayouts } from '../payout-store.ts';
import { payouts } from '../payout-table.ts';
import { requestCancel } from '../request-cancel.ts';
import { requestPayout } from '../request-payout.ts';
import * as schemas from './payout-schemas.ts';

export const payoutApi: ApiResource<Payout> = {
  path: '/v1/payouts',
  tag: 'Payouts',
  type: 'Payout',
  names: { types: 'Payouts', one: 'a payout', many: 'payouts' },
  cursor: 'payout',
  schema: schemas.payout,
  scopes: { read: 'payouts:read', write: 'payouts:write' },
  find: (db, bookId, id) => payouts.find(db, bookId, id),
  view: payoutResource.view,
};

const create = createRoute(payoutApi, {
  summary: 'Create a payout',
  description:
    'Refuses what is certain to fail, and holds amount and fee in the same commit. The money moves afterwards: follow `status`, events, or `Prefer: wait`.',
  idempotency: 'required',
  waits: waitFor(payoutResource),
  query: dryRunQuery,
  body: schemas.createPayout,
  bodyExample: schemas.createPayoutExample,
  responses: {
    200: {
      description: 'A dry run: the payout as it would be.',
      schema: schemas.payout,
      shows: ['dry_run', 'resulting_balances'],
      isDryRun: true,
    },
    202: { description: 'Accepted: amount and fee are held.', schema: schemas.payout },
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
  // Written out, without a spread: every request makes one (docs/decisions/hidden-classes.md).
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

const list = listRoute(payoutApi, {
  filters: {
    account: reference('account', 'Payouts that leave this account.').optional(),
    status: oneOrMore(schemas.PAYOUT_STATUSES, 'Payouts in any of these states.'),
    created_at: createdAtFilter,
    external_id: externalIdFilter,
    metadata: metadataFilter,
  },
  rows(db, { bookId, query, page }) {
    const { account: accountId, status: statuses, created_at: created, external_id: externalId, metadata } = query;
    const filter = { accountId, statuses, createdGte: created?.gte, createdLt: created?.lt, externalId, metadata };
    return listPayouts(db, bookId, filter, page);
  },
});

const read = readRoute(payoutApi, { waits: waitFor(payoutResource) });

const cancel = actionRoute(payoutApi, 'cancel', {
  summary: 'Cancel a payout',
  description:
    'Only while it is `pending`. Gives back what is held. Once it is on its way, a payout is not called back.',
  responses: { 200: { description: 'Canceled.', schema: schemas.payout } },
  handle(request) {
    const { params, ifMatch } = request;
    return runUseCase(request, requestCancel, { ...askedBy(request), payoutId: params.id!, ifMatch });
  },
});

const timeline = timelineRoute(payoutApi, declaredPayout);

export const payoutRoutes = [create, read, list, cancel, timeline];

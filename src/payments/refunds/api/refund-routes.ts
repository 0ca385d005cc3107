/** What belongs to payments: captures and refunds of one, refunds and releases of a book. */
import { type ApiResource, apiOf } from '../../../api/api-resource.ts';
import { dryRunQuery } from '../../../api/dry-run.ts';
import { createdAtFilter, oneOrMore } from '../../../api/pages.ts';
import { childrenRoute, listRoute, readRoute, timelineRoute } from '../../../api/read-routes.ts';
import { route } from '../../../api/route.ts';
import { askedBy, runUseCase } from '../../../api/run-use-case.ts';
import { reference } from '../../../api/schemas/fields.ts';
import { waitFor } from '../../../api/waits.ts';
import { captureResource, refundResource } from '../../operations/operation-resources.ts';
import { listOperations, listRefunds } from '../../operations/operation-store.ts';
import { capture, createRefund, REFUND_STATUSES, refund, release } from '../../payment/api/child-schemas.ts';
import { paymentApi } from '../../payment/api/payment-routes.ts';
import { releaseResource } from '../../shares/release-resource.ts';
import { listReleases } from '../../shares/release-store.ts';
import { requestRefund } from '../refund-payment.ts';

const scopes = { read: 'payments:read', write: 'payments:write' } as const;

const captureApi = apiOf(captureResource, {
  path: '/v1/payments/:id/captures',
  tag: 'Payments',
  type: 'Capture',
  names: { types: 'PaymentCaptures', one: 'a capture of a payment', many: 'captures of a payment' },
  schema: capture,
  scopes,
  parent: { resource: paymentApi as ApiResource<unknown>, param: 'capture' },
});

export const refundApi = apiOf(refundResource, {
  path: '/v1/payments/refunds',
  tag: 'Payments',
  type: 'Refund',
  names: { types: 'Refunds', one: 'a refund', many: 'refunds' },
  schema: refund,
  scopes,
});

const listCaptures = childrenRoute(paymentApi as ApiResource<unknown>, captureApi, {
  operation: 'listPaymentCaptures',
  summary: 'List captures of a payment',
  filters: {},
  rows: (db, { bookId, parentId: paymentId, page }) => listOperations(db, { bookId, paymentId, kind: 'capture' }, page),
});

const readCapture = readRoute(captureApi);

const createOne = route({
  method: 'post',
  path: '/v1/payments/:id/refunds',
  operation: 'createRefund',
  tag: 'Payments',
  of: { resource: refundApi, kind: 'create' },
  summary: 'Refund a payment',
  description:
    'Takes the money from what the payment earned and is not released yet, then from what the account has available, then from what else waits for its release. There is no last day for it here; one that the acquirer no longer takes fails, and its money is back where it came from. The answer waits for the acquirer as that of a payment does.',
  scope: 'payments:write',
  params: { id: 'payment' },
  idempotency: 'required',
  query: dryRunQuery,
  ifMatch: true,
  waits: waitFor(refundResource, { defaultSeconds: 10, doneStatus: 201 }),
  body: createRefund,
  bodyExample: { amount: 5_000, reason: 'One item came back' },
  responses: {
    200: {
      description: 'A dry run: the refund as it would be, with what it would leave the account.',
      schema: refund,
      shows: ['dry_run', 'resulting_balances'],
      isDryRun: true,
    },
    201: { description: 'The acquirer has answered.', schema: refund },
    202: { description: 'Accepted, and still `pending`.', schema: refund },
  },
  errors: [
    'amount_not_integer',
    'amount_below_minimum',
    'amount_above_maximum',
    'refund_exceeds_captured',
    'limit_exceeded',
    'insufficient_funds',
    'account_frozen',
    'account_closed',
    'state_conflict',
  ],
  handle(request) {
    const { params, body, ifMatch } = request;
    return runUseCase(request, requestRefund, {
      ...askedBy(request),
      dryRun: request.query.dry_run,
      paymentId: params.id!,
      ifMatch,
      amount: body.amount,
      reason: body.reason,
    });
  },
});

const listOfPayment = childrenRoute(
  paymentApi as ApiResource<unknown>,
  { ...refundApi, path: '/v1/payments/:id/refunds' },
  {
    operation: 'listPaymentRefunds',
    summary: 'List refunds of a payment',
    filters: {},
    rows: (db, { bookId, parentId: paymentId, page }) =>
      listOperations(db, { bookId, paymentId, kind: 'refund' }, page),
  },
);

const listAll = listRoute(refundApi, {
  filters: {
    account: reference('account', 'Refunds of payments for this account.').optional(),
    status: oneOrMore(REFUND_STATUSES, 'Refunds in any of these states.'),
    created_at: createdAtFilter,
  },
  rows(db, { bookId, query, page }) {
    const { account: accountId, status: statuses, created_at: created } = query;
    return listRefunds(db, bookId, { accountId, statuses, created }, page);
  },
});

const readRefund = readRoute(refundApi, { waits: waitFor(refundResource) });

const refundTimeline = timelineRoute(refundApi);

export const releaseApi = apiOf(releaseResource, {
  path: '/v1/payments/releases',
  tag: 'Payments',
  type: 'Release',
  names: { types: 'Releases', one: 'a release', many: 'releases' },
  schema: release,
  scopes,
});

const listAllReleases = listRoute(releaseApi, {
  filters: { account: reference('account', 'Releases to this account.').optional(), created_at: createdAtFilter },
  rows: (db, { bookId, query, page }) =>
    listReleases(db, bookId, { accountId: query.account, created: query.created_at }, page),
});

const readRelease = readRoute(releaseApi);

/** Static paths before those with an id of a payment. */
export const paymentChildRoutes = [
  listAll,
  readRefund,
  refundTimeline,
  listAllReleases,
  readRelease,
  createOne,
  listOfPayment,
  listCaptures,
  readCapture,
];

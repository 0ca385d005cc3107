import { apiOf } from '../../../api/api-resource.ts';
import { dryRunQuery } from '../../../api/dry-run.ts';
import { createdAtFilter, externalIdFilter, metadataFilter, oneOrMore } from '../../../api/pages.ts';
import { listRoute, readRoute, timelineRoute } from '../../../api/read-routes.ts';
import type { RouteAnswer, RouteRequest } from '../../../api/route.ts';
import { askedBy, runUseCase } from '../../../api/run-use-case.ts';
import { reference } from '../../../api/schemas/fields.ts';
import { waitFor } from '../../../api/waits.ts';
import { actionRoute, createRoute, updateRoute } from '../../../api/write-routes.ts';
import { requestPayment } from '../../acceptance/accept-payment.ts';
import { sourceOf } from '../../acceptance/api/source-schemas.ts';
import {
  type PaymentActionRequest,
  requestCancel,
  requestCapture,
  requestIncrement,
} from '../../actions/act-on-payment.ts';
import { paymentResource } from '../payment-resource.ts';
import { listPayments } from '../payment-store.ts';
import { requestPaymentUpdate } from '../update-payment.ts';
import { billingOf } from './billing-schema.ts';
import { digestedCard } from './card-schema.ts';
import * as schemas from './payment-schemas.ts';

export const paymentApi = apiOf(paymentResource, {
  path: '/v1/payments',
  tag: 'Payments',
  type: 'Payment',
  names: { types: 'Payments', one: 'a payment', many: 'payments' },
  schema: schemas.payment,
  scopes: { read: 'payments:read', write: 'payments:write' },
});

/** As long as an issuer takes at its slowest; what takes longer is answered as it is (API.md §4). */
const WAIT_SECONDS = 10;

const AMOUNT_ERRORS = ['amount_not_integer', 'amount_below_minimum', 'amount_above_maximum'] as const;

function fingerprinted(body: unknown, digestOf: (text: string) => string): unknown {
  const { source, ...rest } = body as { source?: unknown };
  return source === undefined ? rest : { ...rest, source: digestedCard(source, digestOf) };
}

const create = createRoute(paymentApi, {
  summary: 'Create a payment',
  description:
    'The card is exchanged for a token before anything is stored. The answer waits up to 10 s for the acquirer: 201, or 202 while the payment is still `processing`; `Prefer: respond-async` answers at once. A decline is an answer: 201 with the status `failed`. With `dry_run=true` nothing is done, and `fee` says what the whole amount would be charged.',
  idempotency: 'required',
  waits: waitFor(paymentResource, { defaultSeconds: WAIT_SECONDS, doneStatus: 201 }),
  fingerprinted,
  query: dryRunQuery,
  body: schemas.createPayment,
  bodyExample: schemas.createPaymentExample,
  responses: {
    200: {
      description: 'A dry run: the payment as it would be.',
      schema: schemas.payment,
      shows: ['dry_run'],
      isDryRun: true,
    },
    201: {
      description: 'The acquirer has answered: authorized, captured, declined, or the payer has to act.',
      schema: schemas.payment,
    },
    202: { description: 'Accepted, and still `processing`.', schema: schemas.payment },
  },
  errors: [
    ...AMOUNT_ERRORS,
    'currency_unsupported',
    'currency_mismatch',
    'resource_not_found',
    'account_closed',
    'limit_exceeded',
    'acquirer_unavailable',
    'card_number_not_allowed',
    'card_data_disabled',
    'token_invalid',
    'reader_busy',
  ],
  handle(request) {
    const { principal, body } = request;
    return runUseCase(request, requestPayment, {
      ...askedBy(request),
      mode: principal.mode,
      dryRun: request.query.dry_run,
      amount: body.amount,
      currency: body.currency,
      source: sourceOf(body.source),
      captureMode: body.capture,
      accountId: body.account,
      initiator: body.initiator,
      recurring: body.recurring
        ? {
            reason: body.recurring.reason,
            previousNetworkReference: body.recurring.previous_network_reference ?? null,
          }
        : null,
      storeFor: body.store_for,
      billing: body.billing && billingOf(body.billing),
      statementDescriptor: body.statement_descriptor,
      returnUrl: body.return_url,
      cancelUrl: body.cancel_url,
      description: body.description,
      externalId: body.external_id,
      metadata: body.metadata,
    });
  },
});

const list = listRoute(paymentApi, {
  filters: {
    account: reference('account', 'Payments for this account.').optional(),
    status: oneOrMore(schemas.PAYMENT_STATUSES, 'Payments in any of these states.'),
    created_at: createdAtFilter,
    external_id: externalIdFilter,
    metadata: metadataFilter,
  },
  rows(db, { bookId, query, page }) {
    const { account: accountId, status: statuses, created_at: created, external_id: externalId, metadata } = query;
    const filter = { accountId, statuses, createdGte: created?.gte, createdLt: created?.lt, externalId, metadata };
    return listPayments(db, bookId, filter, page);
  },
});

const read = readRoute(paymentApi, { waits: waitFor(paymentResource) });

const update = updateRoute(paymentApi, {
  summary: 'Update a payment',
  body: schemas.updatePayment,
  bodyExample: { description: 'Order 77, two parcels' },
  handle(request) {
    const { body, params, ifMatch } = request;
    return runUseCase(request, requestPaymentUpdate, {
      ...askedBy(request),
      paymentId: params.id!,
      ifMatch,
      description: body.description,
      externalId: body.external_id,
      metadata: body.metadata,
    });
  },
});

/** Actions wait like the payment, and answer with it. */
const waits = waitFor(paymentResource, {
  defaultSeconds: WAIT_SECONDS,
  isDone: ({ pendingOperation }) => pendingOperation === null,
});

const acted = {
  200: {
    description:
      'The payment, once the acquirer has answered or the wait is over. In a dry run, as it would be once the acquirer has agreed.',
    schema: schemas.payment,
    mayShow: ['dry_run'],
  },
};

interface ActionBody {
  readonly amount?: bigint | undefined;
  readonly final?: boolean | undefined;
}

function act(
  request: RouteRequest<ActionBody | undefined, { dry_run: boolean }>,
  useCase: typeof requestCapture,
): Promise<RouteAnswer> {
  const { params, ifMatch, body } = request;
  const input: PaymentActionRequest = {
    ...askedBy(request),
    dryRun: request.query.dry_run,
    paymentId: params.id!,
    ifMatch,
    amount: body?.amount,
    final: body?.final,
  };
  return runUseCase(request, useCase, input);
}

const capture = actionRoute(paymentApi, 'capture', {
  summary: 'Capture a payment',
  description: 'All that is authorized, or a part; several times until nothing remains.',
  idempotency: 'required',
  waits,
  query: dryRunQuery,
  body: schemas.capturePayment,
  bodyExample: { amount: 10_000 },
  responses: acted,
  errors: [...AMOUNT_ERRORS, 'capture_exceeds_authorized', 'authorization_expired', 'limit_exceeded'],
  handle: (request) => act(request, requestCapture),
});

const cancel = actionRoute(paymentApi, 'cancel', {
  summary: 'Cancel a payment',
  description:
    'Gives up what is authorized and not captured. With something captured, the payment is `captured` then. What waits for its payer is taken back at the acquirer; where the payer was faster, the payment says so.',
  waits,
  query: dryRunQuery,
  responses: acted,
  handle: (request) => act(request as RouteRequest<undefined, { dry_run: boolean }>, requestCancel),
});

const increment = actionRoute(paymentApi, 'increment', {
  summary: 'Increment an authorization',
  description: 'Asks the issuer to hold more. `amount` is the new total.',
  idempotency: 'required',
  waits,
  query: dryRunQuery,
  body: schemas.incrementPayment,
  bodyExample: { amount: 30_000 },
  responses: acted,
  errors: [...AMOUNT_ERRORS, 'authorization_expired'],
  handle: (request) => act(request, requestIncrement),
});

const timeline = timelineRoute(paymentApi);

export const paymentRoutes = [create, read, list, update, capture, cancel, increment, timeline];

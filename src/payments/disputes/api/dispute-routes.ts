/** Disputes of payments: lists, one, its timeline, and answers to it. */
import { z } from 'zod';
import { apiOf } from '../../../api/api-resource.ts';
import { createdAtFilter, oneOrMore } from '../../../api/pages.ts';
import { listRoute, readRoute, timelineRoute } from '../../../api/read-routes.ts';
import { askedBy, runUseCase } from '../../../api/run-use-case.ts';
import { reference } from '../../../api/schemas/fields.ts';
import { waitFor } from '../../../api/waits.ts';
import { actionRoute } from '../../../api/write-routes.ts';
import { requestAcceptance, requestEvidence } from '../answer-dispute.ts';
import { disputeResource } from '../dispute-resource.ts';
import { listDisputes } from '../dispute-store.ts';
import { DISPUTE_STAGES, DISPUTE_STATUSES, dispute, submitEvidence } from './dispute-schemas.ts';

export const disputeApi = apiOf(disputeResource, {
  path: '/v1/payments/disputes',
  tag: 'Payments',
  type: 'Dispute',
  names: { types: 'Disputes', one: 'a dispute', many: 'disputes' },
  schema: dispute,
  scopes: { read: 'payments:read', write: 'payments:write' },
});

const list = listRoute(disputeApi, {
  filters: {
    account: reference('account', 'Disputes of payments for this account.').optional(),
    payment: reference('payment', 'Disputes of this payment.').optional(),
    status: oneOrMore(DISPUTE_STATUSES, 'Disputes in any of these states.'),
    stage: z.enum(DISPUTE_STAGES).optional().meta({ description: 'Inquiries or chargebacks alone.' }),
    created_at: createdAtFilter,
  },
  rows(db, { bookId, query, page }) {
    const { account: accountId, payment: paymentId, status: statuses, stage, created_at: created } = query;
    const filter = { accountId, paymentId, statuses, stage, createdGte: created?.gte, createdLt: created?.lt };
    return listDisputes(db, bookId, filter, page);
  },
});

/** As a payment's actions: the response waits until the acquirer has received the answer. */
const waits = waitFor(disputeResource, {
  defaultSeconds: 10,
  isDone: ({ pendingOperation }) => pendingOperation === null,
});

const answered = {
  200: { description: 'The dispute, once the acquirer has answered or the wait is over.', schema: dispute },
};

const evidence = actionRoute(disputeApi, 'evidence', {
  operation: 'submitDisputeEvidence',
  summary: 'Submit evidence for a dispute',
  description: 'Once, until `evidence_due_at`. What the acquirer does not take may be said again.',
  idempotency: 'required',
  waits,
  body: submitEvidence,
  bodyExample: {
    product_description: 'A pair of headphones, order 77',
    shipping_tracking_number: '1Z999AA10123456784',
  },
  responses: answered,
  handle(request) {
    const { params, body, ifMatch } = request;
    return runUseCase(request, requestEvidence, {
      ...askedBy(request),
      disputeId: params.id!,
      ifMatch,
      evidence: body,
    });
  },
});

const accept = actionRoute(disputeApi, 'accept', {
  summary: 'Accept a dispute',
  description: 'You do not contest it: what a chargeback took stays taken. This cannot be undone.',
  idempotency: 'required',
  waits,
  responses: answered,
  handle(request) {
    const { params, ifMatch } = request;
    return runUseCase(request, requestAcceptance, { ...askedBy(request), disputeId: params.id!, ifMatch });
  },
});

export const disputeRoutes = [list, readRoute(disputeApi), timelineRoute(disputeApi), evidence, accept];

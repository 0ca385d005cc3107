/** Cardholders' disputes of transactions. */
import { type ApiResource, apiOf } from '../../../api/api-resource.ts';
import { childrenRoute, readRoute, timelineRoute } from '../../../api/read-routes.ts';
import { type Route, routesSince } from '../../../api/route.ts';
import { askedBy, runUseCase } from '../../../api/run-use-case.ts';
import { simulationRoute } from '../../../api/simulations.ts';
import { actionRoute, createRoute } from '../../../api/write-routes.ts';
import type { Scope } from '../../../organisations/api-key.ts';
import { type DisputeAction, transactionDisputeResource } from '../../disputes/dispute-resource.ts';
import { listDisputesOf } from '../../disputes/dispute-store.ts';
import { transactionApi } from '../../purchase/api/transaction-routes.ts';
import { disputeAction, requestDispute } from '../act-on-dispute.ts';
import * as schemas from './dispute-schemas.ts';

export const transactionDisputeApi = apiOf(transactionDisputeResource, {
  path: '/v1/transactions/:id/disputes',
  tag: 'Transactions',
  type: 'TransactionDispute',
  names: { types: 'TransactionDisputes', one: 'a dispute of a transaction', many: 'disputes of a transaction' },
  schema: schemas.transactionDispute,
  scopes: { read: 'transactions:read', write: 'transactions:write' },
  parent: { resource: transactionApi as ApiResource<unknown>, param: 'dispute' },
});

const list = childrenRoute(transactionApi as ApiResource<unknown>, transactionDisputeApi, {
  operation: 'listTransactionDisputes',
  summary: 'List disputes of a transaction',
  filters: {},
  rows: (db, { bookId, parentId, page }) => listDisputesOf(db, bookId, parentId, page),
});

const open = createRoute(transactionDisputeApi, {
  summary: 'Open a dispute of a transaction',
  description:
    'At most what is cleared, not refunded and not disputed already. Nothing is booked until it is submitted to the network.',
  idempotency: 'required',
  body: schemas.openDispute,
  bodyExample: { amount: 2_500, reason: 'product_not_received' },
  responses: { 201: { description: 'Opened.', schema: schemas.transactionDispute } },
  errors: ['amount_not_integer', 'amount_below_minimum', 'amount_above_maximum', 'limit_exceeded'],
  handle(request) {
    const { amount = null, reason } = request.body;
    return runUseCase(request, requestDispute, {
      ...askedBy(request),
      transactionId: request.params.id!,
      amount,
      reason,
    });
  },
});

const ACTIONS: Readonly<Record<DisputeAction, { scope: Scope; summary: string; description: string }>> = {
  submit: {
    scope: 'transactions:process',
    summary: 'Submit a dispute of a transaction',
    description: 'The network has it. The customer is credited provisionally with what was not refunded meanwhile.',
  },
  withdraw: {
    scope: 'transactions:write',
    summary: 'Withdraw a dispute of a transaction',
    description: 'What is left of its credit is taken back.',
  },
  win: {
    scope: 'transactions:process',
    summary: 'Record that a dispute of a transaction was won',
    description: 'The credit stays.',
  },
  lose: {
    scope: 'transactions:process',
    summary: 'Record that a dispute of a transaction was lost',
    description: 'What is left of its credit is taken back, below zero if need be, flagged.',
  },
};

const actions: Route[] = (Object.keys(ACTIONS) as DisputeAction[]).map((action) =>
  actionRoute(transactionDisputeApi, action, {
    ...ACTIONS[action],
    handle(request) {
      const { params, ifMatch } = request;
      const of = { transactionId: params.id!, disputeId: params.dispute!, ifMatch };
      return runUseCase(request, disputeAction(action), { ...askedBy(request), ...of });
    },
  }),
);

export const transactionDisputeRoutes = routesSince('0.4.0', [
  list,
  open,
  readRoute(transactionDisputeApi),
  timelineRoute(transactionDisputeApi),
  ...actions,
]);

const OUTCOMES = {
  win: ['simulateCardDisputeWin', 'Simulate that a dispute of a cardholder is won'],
  lose: ['simulateCardDisputeLoss', 'Simulate that a dispute of a cardholder is lost'],
} as const;

export const transactionDisputeSimulationRoutes = routesSince(
  '0.4.0',
  (['win', 'lose'] as const).map((action) =>
    simulationRoute({
      path: `/v1/simulations/card_disputes/:id/${action}`,
      operation: OUTCOMES[action][0],
      summary: OUTCOMES[action][1],
      description: 'As the network decides one that was submitted.',
      params: { id: 'transactionDispute' },
      responses: { 200: { description: 'As it is now.', schema: schemas.transactionDispute } },
      errors: ['state_conflict'],
      handle: (request) =>
        runUseCase(request, disputeAction(action), { ...askedBy(request), disputeId: request.params.id! }),
    }),
  ),
);

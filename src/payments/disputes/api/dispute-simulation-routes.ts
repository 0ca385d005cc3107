import type { RouteAnswer, RouteRequest } from '../../../api/route.ts';
import { askedBy, runUseCase } from '../../../api/run-use-case.ts';
import { simulationRoute } from '../../../api/simulations.ts';
import { type SimulateDecision, simulateDecision, simulateDispute } from '../simulate-dispute.ts';
import * as schemas from './dispute-schemas.ts';

const params = { id: 'dispute' } as const;
const after = { 200: { description: 'The dispute after it.', schema: schemas.dispute } };

const open = simulationRoute({
  path: '/v1/simulations/disputes',
  operation: 'simulateDispute',
  summary: 'Simulate a dispute',
  description: 'The payer disputes a payment: the issuer asks, or the acquirer takes the money.',
  body: schemas.simulateDispute,
  bodyExample: { payment: 'pay_01k5c2r3v8e9m0x6y7z4a1b2cd', reason: 'product_not_received' },
  responses: { 201: { description: 'The dispute.', schema: schemas.dispute } },
  errors: [
    'state_conflict',
    'resource_not_found',
    'amount_not_integer',
    'amount_below_minimum',
    'amount_above_maximum',
    'limit_exceeded',
  ],
  handle(request) {
    const { payment: paymentId, reason, stage, amount } = request.body;
    return runUseCase(request, simulateDispute, { ...askedBy(request), paymentId, reason, stage, amount });
  },
});

function decide(request: RouteRequest, to: SimulateDecision['to']): Promise<RouteAnswer> {
  return runUseCase(request, simulateDecision, { ...askedBy(request), disputeId: request.params.id!, to });
}

const win = simulationRoute({
  path: '/v1/simulations/disputes/:id/win',
  operation: 'simulateDisputeWon',
  summary: 'Simulate that a dispute is won',
  description: 'The acquirer decides for the merchant.',
  params,
  responses: after,
  errors: ['state_conflict'],
  handle: (request) => decide(request, 'won'),
});

const lose = simulationRoute({
  path: '/v1/simulations/disputes/:id/lose',
  operation: 'simulateDisputeLost',
  summary: 'Simulate that a dispute is lost',
  description: 'The acquirer decides for the payer.',
  params,
  responses: after,
  errors: ['state_conflict'],
  handle: (request) => decide(request, 'lost'),
});

const escalate = simulationRoute({
  path: '/v1/simulations/disputes/:id/escalate',
  operation: 'simulateDisputeEscalated',
  summary: 'Simulate that a dispute escalates',
  description: 'An inquiry, or a chargeback that was won, is followed by a chargeback. The answer is the new dispute.',
  params,
  responses: { 200: { description: 'The dispute that follows.', schema: schemas.dispute } },
  errors: ['state_conflict', 'limit_exceeded'],
  handle: (request) => decide(request, 'escalated'),
});

export const disputeSimulationRoutes = [open, win, lose, escalate];

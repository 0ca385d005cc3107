import type { RouteAnswer, RouteRequest } from '../../../api/route.ts';
import { askedBy, runUseCase } from '../../../api/run-use-case.ts';
import { simulationRoute } from '../../../api/simulations.ts';
import { failPayout, payout, returnPayout } from '../../payout/api/payout-schemas.ts';
import { type Simulation, simulatePayout } from '../simulate-payout.ts';

const params = { id: 'payout' } as const;
const after = { 200: { description: 'The payout after it.', schema: payout } };

function simulate(request: RouteRequest, simulation: Simulation): Promise<RouteAnswer> {
  return runUseCase(request, simulatePayout, { ...askedBy(request), payoutId: request.params.id!, simulation });
}

const complete = simulationRoute({
  path: '/v1/simulations/payouts/:id/complete',
  operation: 'simulatePayoutCompleted',
  summary: 'Simulate that a payout is paid',
  description: 'The rail says that it was paid.',
  params,
  responses: after,
  errors: ['state_conflict'],
  handle: (request) => simulate(request, { action: 'complete' }),
});

const fail = simulationRoute({
  path: '/v1/simulations/payouts/:id/fail',
  operation: 'simulatePayoutFailed',
  summary: 'Simulate that a payout fails',
  description: 'The rail says that it failed.',
  params,
  body: failPayout,
  bodyExample: { code: 'payee_account_closed' },
  responses: after,
  errors: ['state_conflict'],
  handle: (request) => simulate(request, { action: 'fail', code: request.body.code }),
});

const returned = simulationRoute({
  path: '/v1/simulations/payouts/:id/return',
  operation: 'simulatePayoutReturned',
  summary: 'Simulate a return of a payout',
  description: 'The rail sends a paid payout back, whole or in part.',
  params,
  body: returnPayout,
  bodyExample: { amount: 1_000 },
  responses: after,
  errors: ['state_conflict', 'amount_not_integer', 'amount_below_minimum', 'amount_above_maximum'],
  handle: (request) => simulate(request, { action: 'return', amount: request.body.amount }),
});

export const payoutSimulationRoutes = [complete, fail, returned];

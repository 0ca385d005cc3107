import { randomBytes } from 'node:crypto';
import { receiveTransfer } from '../../accounts/receive-transfer.ts';
import { type Simulation, simulatePayout } from '../../payouts/simulate-payout.ts';
import { actorOf, runCommand, storedAnswer } from '../answers.ts';
import { type RouteAnswer, type RouteRequest, route } from '../route.ts';
import { createInboundTransfer, inboundTransfer } from '../schemas/accounts.ts';
import { exampleId } from '../schemas/fields.ts';
import { failPayout, payout, returnPayout } from '../schemas/payouts.ts';

/** Salt of the description's digest: as long as a SHA-256 hash. */
const SALT_BYTES = 32;

const common = { method: 'post', tag: 'Simulations', scope: 'simulations:write', testModeOnly: true } as const;
const params = { id: 'payout' } as const;
const after = { 200: { description: 'The payout after it.', schema: payout } };

const inbound = route({
  ...common,
  path: '/v1/simulations/inbound_transfers',
  operation: 'simulateInboundTransfer',
  summary: 'Money arrives on an account',
  idempotency: 'required',
  body: createInboundTransfer,
  bodyExample: { account: exampleId('account'), amount: 1_000_000, currency: 'JOD' },
  responses: { 201: { description: 'Booked.', schema: inboundTransfer } },
  errors: [
    'amount_not_integer',
    'amount_below_minimum',
    'amount_above_maximum',
    'currency_unsupported',
    'currency_mismatch',
    'resource_not_found',
    'account_closed',
    'limit_exceeded',
  ],
  handle(request) {
    const { body, principal, requestId } = request;
    const command = receiveTransfer({
      bookId: principal.bookId,
      accountId: body.account,
      amount: body.amount,
      currency: body.currency,
      description: body.description ?? null,
      salt: randomBytes(SALT_BYTES),
      requestId,
      actor: actorOf(principal),
    });
    return runCommand(request, command);
  },
});

async function simulate(request: RouteRequest, simulation: Simulation): Promise<RouteAnswer> {
  const { runtime, principal, params, requestId, idempotencyKey } = request;
  const answer = await simulatePayout(runtime, {
    bookId: principal.bookId,
    payoutId: params.id!,
    simulation,
    idempotencyKey,
    fingerprint: request.fingerprint(),
    requestId,
  });
  return storedAnswer(answer);
}

const complete = route({
  ...common,
  path: '/v1/simulations/payouts/:id/complete',
  operation: 'simulatePayoutCompleted',
  summary: 'The rail says that a payout was paid',
  params,
  responses: after,
  errors: ['state_conflict'],
  handle: (request) => simulate(request, { action: 'complete' }),
});

const fail = route({
  ...common,
  path: '/v1/simulations/payouts/:id/fail',
  operation: 'simulatePayoutFailed',
  summary: 'The rail says that a payout failed',
  params,
  body: failPayout,
  bodyExample: { code: 'payee_account_closed' },
  responses: after,
  errors: ['state_conflict'],
  handle: (request) => simulate(request, { action: 'fail', code: request.body.code }),
});

const returned = route({
  ...common,
  path: '/v1/simulations/payouts/:id/return',
  operation: 'simulatePayoutReturned',
  summary: 'The rail sends a paid payout back, whole or in part',
  params,
  body: returnPayout,
  bodyExample: { amount: 1_000 },
  responses: after,
  errors: ['state_conflict', 'amount_not_integer', 'amount_below_minimum', 'amount_above_maximum'],
  handle: (request) => simulate(request, { action: 'return', amount: request.body.amount }),
});

export const simulationRoutes = [inbound, complete, fail, returned];

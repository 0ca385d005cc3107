import { randomBytes } from 'node:crypto';
import { actorOf, runCommand } from '../../api/answers.ts';
import { exampleId } from '../../api/schemas/fields.ts';
import { simulationRoute } from '../../api/simulations.ts';
import { receiveTransfer } from '../receive-transfer.ts';
import { createInboundTransfer, inboundTransfer } from './account-schemas.ts';

/** Salt of the description's digest: as long as a SHA-256 hash. */
const SALT_BYTES = 32;

const inbound = simulationRoute({
  path: '/v1/simulations/inbound_transfers',
  operation: 'simulateInboundTransfer',
  summary: 'Simulate an inbound transfer',
  description: 'Money arrives on an account.',
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

export const inboundTransferRoutes = [inbound];

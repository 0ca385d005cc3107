import { randomBytes } from 'node:crypto';
import { actorOf, runCommand } from '../../../api/answers.ts';
import { type ApiResource, apiOf } from '../../../api/api-resource.ts';
import { createdAtFilter, oneOrMore } from '../../../api/pages.ts';
import { listRoute, readRoute, timelineRoute } from '../../../api/read-routes.ts';
import { routesSince } from '../../../api/route.ts';
import { exampleId, reference } from '../../../api/schemas/fields.ts';
import { simulationRoute } from '../../../api/simulations.ts';
import { createInboundTransfer, inboundTransfer } from '../../account/api/account-schemas.ts';
import { INBOUND_TRANSFER_STATUSES, type InboundTransfer } from '../inbound-transfer.ts';
import { inboundTransferResource } from '../inbound-transfer-resource.ts';
import { findInboundTransfer, listInboundTransfers } from '../inbound-transfer-table.ts';
import { receiveTransfer, simulatedCredit } from '../receive-transfer.ts';

export const inboundTransferApi: ApiResource<InboundTransfer> = apiOf(inboundTransferResource, {
  path: '/v1/inbound_transfers',
  tag: 'Accounts',
  type: 'InboundTransfer',
  names: { types: 'InboundTransfers', one: 'an inbound transfer', many: 'inbound transfers' },
  schema: inboundTransfer,
  scopes: { read: 'accounts:read' },
  find: findInboundTransfer,
});

const list = listRoute(inboundTransferApi, {
  filters: {
    account: reference('account', 'Transfers to this account.').optional(),
    status: oneOrMore(INBOUND_TRANSFER_STATUSES, 'Transfers in any of these states.'),
    created_at: createdAtFilter,
  },
  rows: (db, { bookId, query: { account, status, created_at: created }, page }) =>
    listInboundTransfers(
      db,
      bookId,
      { accountId: account, statuses: status, created: { gte: created?.gte, lt: created?.lt } },
      page,
    ),
});

/** Salt of the description's digest: as long as a SHA-256 hash. */
const SALT_BYTES = 32;

const inbound = simulationRoute({
  path: '/v1/simulations/inbound_transfers',
  operation: 'simulateInboundTransfer',
  summary: 'Simulate an inbound transfer',
  description: 'Money arrives on an account, as if a bank had reported a credit with the reference of the account.',
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
  async handle(request) {
    const { body, principal, requestId, runtime } = request;
    const credit = simulatedCredit(runtime.clock.now());
    const { transferId: id, bank } = credit;
    const { amount, currency } = body;
    // It moves at the bank once the book has taken it: a refused one never does.
    await runtime.rails.sandbox.offerCredit({
      ...{ id, originator: principal.bookId, amount, currency, reference: bank.bankReference! },
    });
    const command = receiveTransfer({
      bookId: principal.bookId,
      accountId: body.account,
      amount: body.amount,
      currency: body.currency,
      description: body.description ?? null,
      salt: randomBytes(SALT_BYTES),
      requestId,
      actor: actorOf(principal),
      ...credit,
    });
    return runCommand(request, command);
  },
});

export const inboundTransferRoutes = [
  ...routesSince('0.4.0', [list, readRoute(inboundTransferApi), timelineRoute(inboundTransferApi)]),
  inbound,
];

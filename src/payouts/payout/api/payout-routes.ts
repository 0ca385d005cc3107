import type { z } from 'zod';
import { actorOf } from '../../../api/answers.ts';
import { apiOf } from '../../../api/api-resource.ts';
import { dryRunQuery } from '../../../api/dry-run.ts';
import { createdAtFilter, externalIdFilter, metadataFilter, oneOrMore } from '../../../api/pages.ts';
import { listRoute, readRoute, timelineRoute } from '../../../api/read-routes.ts';
import { askedBy, runUseCase } from '../../../api/run-use-case.ts';
import { reference } from '../../../api/schemas/fields.ts';
import { waitFor } from '../../../api/waits.ts';
import { actionRoute, createRoute, updateRoute } from '../../../api/write-routes.ts';
import { inputOf } from '../../destinations/api/destination-schemas.ts';
import { resolveRoutes } from '../../destinations/api/resolve-routes.ts';
import { readOperatorReason } from '../../resolution/resolution-store.ts';
import { requestPayout } from '../accept-payout.ts';
import { readBankFiles } from '../bank-files-of-payout-store.ts';
import { requestCancel } from '../cancel-payout.ts';
import { requestPayoutApproval, requestPayoutRejection } from '../judge-payout.ts';
import { payoutResource } from '../payout-resource.ts';
import { listPayouts } from '../payout-store.ts';
import type { PayoutDestinationInput } from '../place-destination.ts';
import { requestPayoutUpdate } from '../update-payout.ts';
import * as schemas from './payout-schemas.ts';

export const payoutApi = apiOf(payoutResource, {
  path: '/v1/payouts',
  tag: 'Payouts',
  type: 'Payout',
  names: { types: 'Payouts', one: 'a payout', many: 'payouts' },
  schema: schemas.payout,
  scopes: { read: 'payouts:read', write: 'payouts:write' },
});

function destinationOf(given: z.output<typeof schemas.createPayout>['destination']): PayoutDestinationInput {
  return given.type === 'payee' ? given : inputOf(given);
}

/** Each further type of destination has one of them. Processes before would send the payout at once, or to nobody. */
const MEMBERS_SINCE_0_4_0 = [
  ...['/approval', '/purpose_code', '/remittance', '/scheduled_for'],
  ...['address', 'bic', 'card', 'iban', 'name', 'payee', 'phone', 'resolution', 'wallet_id'].map(
    (name) => `/destination/${name}`,
  ),
];

const create = createRoute(payoutApi, {
  summary: 'Create a payout',
  description:
    'Refuses what is certain to fail, and holds amount and fee in the same commit. The money moves afterwards: follow `status`, events, or `Prefer: wait`. Where the approval policy or the request asks for an approval it waits for people, and with `scheduled_for` for its time; then amount and fee are held at its release.',
  idempotency: 'required',
  waits: waitFor(payoutResource),
  query: dryRunQuery,
  body: schemas.createPayout,
  membersSince: { '0.4.0': MEMBERS_SINCE_0_4_0 },
  bodyExample: schemas.createPayoutExample,
  responses: {
    200: {
      description: 'A dry run: the payout as it would be.',
      schema: schemas.payout,
      shows: ['dry_run', 'resulting_balances'],
      isDryRun: true,
    },
    202: { description: 'Accepted: amount and fee are held, unless it waits.', schema: schemas.payout },
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
    'token_invalid',
    'card_not_active',
    'card_number_not_allowed',
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
      destination: destinationOf(body.destination),
      accountId: body.account,
      description: body.description,
      remittance: body.remittance,
      purposeCode: body.purpose_code,
      scheduledFor: body.scheduled_for,
      approval: body.approval,
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
    'While it waits for an approval or for its time, or is `pending`. Gives back what is held. Once it is on its way, a payout is not called back.',
  responses: { 200: { description: 'Canceled.', schema: schemas.payout } },
  handle(request) {
    const { params, ifMatch } = request;
    return runUseCase(request, requestCancel, { ...askedBy(request), payoutId: params.id!, ifMatch });
  },
});

const update = updateRoute(payoutApi, {
  since: '0.4.0',
  summary: 'Update a payout',
  description:
    'A member that is left out stays as it is. `remittance`, `purpose_code` and `scheduled_for` change only before its release; that clears approvals, as does a `description` that travels, and whoever changed them does not approve the payout.',
  body: schemas.updatePayout,
  bodyExample: { remittance: 'Invoice 17', metadata: { order: '77' } },
  errors: ['state_conflict', 'rail_unavailable'],
  handle(request) {
    const { params, ifMatch, body } = request;
    return runUseCase(request, requestPayoutUpdate, {
      ...askedBy(request),
      payoutId: params.id!,
      ifMatch,
      description: body.description,
      externalId: body.external_id,
      metadata: body.metadata,
      remittance: body.remittance,
      purposeCode: body.purpose_code,
      scheduledFor: body.scheduled_for,
    });
  },
});

const approve = actionRoute(payoutApi, 'approve', {
  since: '0.4.0',
  summary: 'Approve a payout',
  description:
    'With the key of a person: another one than who made it, or changed what clears approvals. The last approval holds amount and fee, or leaves the payout to its time. Without funds, beyond a limit or without a rail it is refused and changes nothing.',
  scope: 'payouts:approve',
  body: schemas.approvePayout,
  bodyExample: { version: 2 },
  errors: [
    'self_approval_forbidden',
    'version_mismatch',
    'insufficient_funds',
    'account_frozen',
    'account_closed',
    'destination_invalid',
    'limit_exceeded',
    'rail_unavailable',
  ],
  handle(request) {
    const { body, principal } = request;
    return runUseCase(request, requestPayoutApproval, {
      ...askedBy(request),
      payoutId: request.params.id!,
      ifMatch: request.ifMatch,
      ownerKind: principal.ownerKind,
      version: body.version,
    });
  },
});

const reject = actionRoute(payoutApi, 'reject', {
  since: '0.4.0',
  summary: 'Reject a payout',
  description: 'With the key of a person who might approve it. The payout ends, and nothing was held.',
  scope: 'payouts:approve',
  body: schemas.rejectPayout,
  bodyExample: { version: 2, reason: 'The supplier has changed its bank; nobody has called them.' },
  errors: ['self_approval_forbidden', 'version_mismatch', 'card_number_not_allowed'],
  handle(request) {
    const { body, principal } = request;
    return runUseCase(request, requestPayoutRejection, {
      ...askedBy(request),
      payoutId: request.params.id!,
      ifMatch: request.ifMatch,
      ownerKind: principal.ownerKind,
      version: body.version,
      reason: body.reason,
    });
  },
});

const timeline = timelineRoute(payoutApi, { operatorReason: readOperatorReason, bankFiles: readBankFiles });

/** Behind the paths that its own would match otherwise. */
export const payoutRoutes = [create, ...resolveRoutes, read, list, update, cancel, approve, reject, timeline];

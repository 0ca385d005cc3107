/** What acquirers paid, what of it waits for its release, and what releases are of. */
import { z } from 'zod';
import { findCustomerAccount } from '../../../accounts/account/customer-account-store.ts';
import { type ApiResource, apiOf, type Listed } from '../../../api/api-resource.ts';
import { createdAtFilter, readList } from '../../../api/pages.ts';
import { childrenRoute, listRoute, readRoute, timelineRoute } from '../../../api/read-routes.ts';
import { route } from '../../../api/route.ts';
import { askedBy, runUseCase } from '../../../api/run-use-case.ts';
import { reference } from '../../../api/schemas/fields.ts';
import { listOf } from '../../../api/schemas/shown.ts';
import { simulationRoute } from '../../../api/simulations.ts';
import { ApiError } from '../../../errors/errors.ts';
import { currencyExponent } from '../../../money/currency.ts';
import { formatInstant } from '../../../values/clock.ts';
import { publicId } from '../../../values/ids.ts';
import type { SettlementLine } from '../../paydays/settlement.ts';
import { releaseApi } from '../../refunds/api/refund-routes.ts';
import { listShareLines, sumOpenShares } from '../../shares/balance-store.ts';
import { balanceView } from '../../shares/balance-view.ts';
import type { Release, ShareLine } from '../../shares/share.ts';
import { releases } from '../../shares/share-table.ts';
import { settlementLineView, settlementResource } from '../settlement-resource.ts';
import { listSettlementLines, listSettlements } from '../settlement-store.ts';
import { simulateSettlement } from '../simulate-settlement.ts';
import * as schemas from './settlement-schemas.ts';

export const settlementApi = apiOf(settlementResource, {
  path: '/v1/payments/settlements',
  tag: 'Payments',
  type: 'Settlement',
  names: { types: 'Settlements', one: 'a settlement', many: 'settlements' },
  schema: schemas.settlement,
  scopes: { read: 'payments:read' },
});

const list = listRoute(settlementApi, {
  filters: { created_at: createdAtFilter },
  rows: (db, { bookId, query, page }) => listSettlements(db, bookId, query.created_at, page),
});

const read = readRoute(settlementApi);

const timeline = timelineRoute(settlementApi);

const lineList: Listed<SettlementLine> = {
  path: '/v1/payments/settlements/:id/lines',
  type: 'SettlementLine',
  schema: schemas.settlementLine,
  cursor: 'settlementLine',
  declared: null,
  view: settlementLineView,
};

const lines = childrenRoute(settlementApi as ApiResource<unknown>, lineList, {
  operation: 'listSettlementLines',
  summary: 'List lines of a settlement',
  filters: {},
  rows: (db, { bookId, parentId, page }) => listSettlementLines(db, { bookId, of: { settlement_id: parentId } }, page),
});

/** A line with the release that it is in. */
type ReleasedLine = ShareLine & { readonly release: Release };

const releaseLineList: Listed<ReleasedLine> = {
  path: '/v1/payments/releases/:id/lines',
  type: 'ReleaseLine',
  schema: schemas.releaseLine,
  cursor: 'releaseLine',
  declared: null,
  view: ({ id, paymentId, amount, createdAt, release }, { livemode }) => ({
    id: publicId('releaseLine', id),
    object: 'release_line',
    livemode,
    release: publicId('release', release.id),
    payment: publicId('payment', paymentId),
    amount,
    currency: release.currency,
    currency_exponent: currencyExponent(release.currency),
    created_at: formatInstant(createdAt),
  }),
};

const releaseLines = childrenRoute(releaseApi as ApiResource<unknown>, releaseLineList, {
  operation: 'listReleaseLines',
  summary: 'List lines of a release',
  filters: {},
  async rows(db, { bookId, parentId, page }) {
    const release = (await releases.find(db, bookId, parentId))!;
    const of = { share_id: release.shareId, round: release.round };
    const found = await listShareLines(db, { bookId, of }, page);
    return { ...found, rows: found.rows.map((line) => ({ ...line, release })) };
  },
});

const balance = route({
  method: 'get',
  path: '/v1/payments/balance',
  operation: 'getPaymentBalance',
  tag: 'Payments',
  summary: 'Retrieve what waits for its release',
  scope: 'payments:read',
  query: z.strictObject({ account: reference('account', 'Of this account alone.').optional() }),
  responses: { 200: { description: 'As it is now.', schema: schemas.paymentBalance } },
  errors: ['resource_not_found'],
  async handle(request) {
    const { bookId, mode } = request.principal;
    const { account: accountId } = request.query;
    if (accountId !== undefined && !(await findCustomerAccount(request.runtime.pool, bookId, accountId)))
      throw new ApiError('resource_not_found', { param: 'account', detail: 'This book has no account with that id.' });
    const amounts = await readList(request, (db) => sumOpenShares(db, bookId, { accountId }));
    return { status: 200, json: balanceView(amounts, { livemode: mode === 'live', accountId: accountId ?? null }) };
  },
});

const simulate = simulationRoute({
  path: '/v1/simulations/acquirer_settlements',
  operation: 'simulateAcquirerSettlement',
  summary: 'Simulate that the acquirer settles',
  description:
    'The sandbox acquirer pays all that it holds for this book: captures, less refunds and disputes. It also does so by itself on the day after, in the own time of the book. Answers with a settlement for each currency, none where it holds nothing.',
  responses: {
    200: { description: 'The settlements that were made.', schema: listOf(schemas.settlement, 'Settlement') },
  },
  errors: ['state_conflict'],
  handle: (request) => runUseCase(request, simulateSettlement, askedBy(request)),
});

/** Static paths: before those with an id of a payment. */
export const settlementRoutes = [list, read, timeline, lines, releaseLines, balance];
export const settlementSimulationRoutes = [simulate];

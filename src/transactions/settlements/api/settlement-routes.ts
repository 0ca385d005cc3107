/** What the scheme settled, and of what. */

import { type ApiResource, apiOf, type Listed } from '../../../api/api-resource.ts';
import { createdAtFilter, currencyFilter } from '../../../api/pages.ts';
import { childrenRoute, listRoute, readRoute, timelineRoute } from '../../../api/read-routes.ts';
import { routesSince } from '../../../api/route.ts';
import { askedBy, runUseCase } from '../../../api/run-use-case.ts';
import { listOf } from '../../../api/schemas/shown.ts';
import { simulationRoute } from '../../../api/simulations.ts';
import { requestSettlement } from '../settle.ts';
import { settledLineView } from '../settled-line-view.ts';
import { schemeSettlementResource } from '../settlement-resource.ts';
import { listSettledLines, listSettlements, type SettledLine } from '../settlement-store.ts';
import { schemeSettlements } from '../settlement-table.ts';
import * as schemas from './settlement-schemas.ts';

export const schemeSettlementApi = apiOf(schemeSettlementResource, {
  path: '/v1/transactions/settlements',
  tag: 'Transactions',
  type: 'SchemeSettlement',
  names: { types: 'SchemeSettlements', one: 'a settlement of the scheme', many: 'settlements of the scheme' },
  schema: schemas.schemeSettlement,
  scopes: { read: 'transactions:read' },
});

const list = listRoute(schemeSettlementApi, {
  filters: { currency: currencyFilter, created_at: createdAtFilter },
  rows: (db, { bookId, query, page }) =>
    listSettlements(db, bookId, { currency: query.currency, created: query.created_at }, page),
});

const lineList: Listed<SettledLine> = {
  path: '/v1/transactions/settlements/:id/lines',
  type: 'SchemeSettlementLine',
  schema: schemas.schemeSettlementLine,
  cursor: 'sequence',
  declared: null,
  view: (line, { livemode }) => settledLineView(line, livemode),
};

const lines = childrenRoute(schemeSettlementApi as ApiResource<unknown>, lineList, {
  operation: 'listSchemeSettlementLines',
  summary: 'List lines of a settlement of the scheme',
  filters: {},
  async rows(db, { bookId, parentId, page }) {
    return listSettledLines(db, bookId, (await schemeSettlements.find(db, bookId, parentId))!, page);
  },
});

/** Static paths: before those with an id of a transaction. */
export const schemeSettlementRoutes = routesSince('0.4.0', [
  list,
  readRoute(schemeSettlementApi),
  timelineRoute(schemeSettlementApi),
  lines,
]);

const simulate = simulationRoute({
  path: '/v1/simulations/scheme_settlements',
  operation: 'simulateSchemeSettlement',
  summary: 'Simulate that the scheme settles',
  description:
    'Everything that is cleared and not settled, net: clearings less refunds and credits of disputes. Answers with a settlement for each currency, none where nothing is open.',
  body: schemas.simulateSettlement,
  bodyExample: { currency: 'USD' },
  responses: {
    200: {
      description: 'The settlements that were made.',
      schema: listOf(schemas.schemeSettlement, 'SchemeSettlement'),
    },
  },
  errors: ['currency_unsupported'],
  handle: (request) => runUseCase(request, requestSettlement, { ...askedBy(request), currency: request.body.currency }),
});

export const schemeSettlementSimulationRoutes = routesSince('0.4.0', [simulate]);

/** Collections of fees, in the book that paid them. */

import { apiOf } from '../../../api/api-resource.ts';
import { listRoute, readRoute } from '../../../api/read-routes.ts';
import { routesSince } from '../../../api/route.ts';
import { feeCollectionResource } from '../fee-collection-resource.ts';
import { listFeeCollections } from '../fee-collection-table.ts';
import * as schemas from './fee-collection-schemas.ts';

export const feeCollectionApi = apiOf(feeCollectionResource, {
  path: '/v1/journal/fee_collections',
  tag: 'Journal',
  type: 'FeeCollection',
  names: { types: 'FeeCollections', one: 'a collection of fees', many: 'collections of fees' },
  schema: schemas.feeCollection,
  scopes: { read: 'journal:read' },
});

const list = listRoute(feeCollectionApi, {
  filters: {},
  rows: (db, { bookId, page }) => listFeeCollections(db, { bookId }, page),
});

export const feeCollectionRoutes = routesSince('0.4.0', [list, readRoute(feeCollectionApi)]);

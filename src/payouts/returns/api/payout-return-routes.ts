/** Returns of a payout: its children, each with an entry of its own. */
import { apiOf } from '../../../api/api-resource.ts';
import { childrenRoute, readRoute } from '../../../api/read-routes.ts';
import { payoutApi } from '../../payout/api/payout-routes.ts';
import { payoutReturn } from '../../payout/api/payout-schemas.ts';
import { payoutReturnResource } from '../payout-return-resource.ts';
import { listReturns } from '../payout-return-store.ts';

const returnApi = apiOf(payoutReturnResource, {
  path: '/v1/payouts/:id/returns',
  tag: 'Payouts',
  type: 'PayoutReturn',
  names: { types: 'PayoutReturns', one: 'a return of a payout', many: 'returns of a payout' },
  schema: payoutReturn,
  scopes: { read: 'payouts:read' },
  parent: { resource: payoutApi, param: 'return' },
});

const list = childrenRoute(payoutApi, returnApi, {
  operation: 'listPayoutReturns',
  summary: 'List returns of a payout',
  filters: {},
  rows: (db, { bookId, parentId: payoutId, page }) => listReturns(db, { bookId, payoutId }, page),
});

const read = readRoute(returnApi, { answer: 'It never changes.' });

export const payoutReturnRoutes = [list, read];

/** Returns of a payout: its children, each with an entry of its own. */
import type { ApiResource } from '../../../api/api-resource.ts';
import { childrenRoute, readRoute } from '../../../api/read-routes.ts';
import { payoutApi } from '../../payout/api/payout-routes.ts';
import { payoutReturn } from '../../payout/api/payout-schemas.ts';
import { listReturns } from '../payout-return-store.ts';
import { type PayoutReturn, payoutReturns } from '../payout-return-table.ts';
import { payoutReturnView } from '../payout-return-view.ts';

const returnApi: ApiResource<PayoutReturn> = {
  path: '/v1/payouts/:id/returns',
  tag: 'Payouts',
  type: 'PayoutReturn',
  names: { types: 'PayoutReturns', one: 'a return of a payout', many: 'returns of a payout' },
  cursor: 'payoutReturn',
  schema: payoutReturn,
  scopes: { read: 'payouts:read' },
  parent: { resource: payoutApi, param: 'return', idOf: ({ payoutId }) => payoutId },
  find: (db, bookId, id) => payoutReturns.find(db, bookId, id),
  view: payoutReturnView,
};

const list = childrenRoute(payoutApi, returnApi, {
  operation: 'listPayoutReturns',
  summary: 'List returns of a payout',
  filters: {},
  rows: (db, { bookId, parentId: payoutId, page }) => listReturns(db, { bookId, payoutId }, page),
});

const read = readRoute(returnApi, { answer: 'It never changes.' });

export const payoutReturnRoutes = [list, read];

/** Returns of a payout: its children, each with an entry of its own. */
import { found, isLive } from '../../api/answers.ts';
import { listQuery, pageAnswer, pageRequest, readList } from '../../api/pages.ts';
import { route } from '../../api/route.ts';
import { listOf } from '../../api/schemas/shown.ts';
import { publicId } from '../../ids.ts';
import { payoutReturns } from '../payout-children-tables.ts';
import { listReturns } from '../payout-return-store.ts';
import { payoutReturnView } from '../payout-return-view.ts';
import { payouts } from '../payout-table.ts';
import { payoutReturn } from './payout-schemas.ts';

const list = route({
  method: 'get',
  path: '/v1/payouts/:id/returns',
  operation: 'listPayoutReturns',
  tag: 'Payouts',
  summary: 'List returns of a payout',
  scope: 'payouts:read',
  params: { id: 'payout' },
  query: listQuery('payoutReturn', {}),
  responses: { 200: { description: 'Newest first.', schema: listOf(payoutReturn, 'PayoutReturn') } },
  async handle(request) {
    const { runtime, principal, query, params } = request;
    const { bookId } = principal;
    const { id: payoutId } = found(await payouts.find(runtime.pool, bookId, params.id!));
    const page = await readList(request, (db) => listReturns(db, { bookId, payoutId }, pageRequest(query)));
    const url = `/v1/payouts/${publicId('payout', payoutId)}/returns`;
    return pageAnswer(page, { query, url }, (row) => payoutReturnView(row, isLive(principal)));
  },
});

const read = route({
  method: 'get',
  path: '/v1/payouts/:id/returns/:return',
  operation: 'getPayoutReturn',
  tag: 'Payouts',
  summary: 'Read a return of a payout',
  scope: 'payouts:read',
  params: { id: 'payout', return: 'payoutReturn' },
  responses: { 200: { description: 'It never changes.', schema: payoutReturn } },
  async handle(request) {
    const { runtime, principal, params } = request;
    const one = await payoutReturns.find(runtime.pool, principal.bookId, params.return!);
    const own = found(one?.payoutId === params.id ? one : undefined, 'return');
    return { status: 200, json: payoutReturnView(own, isLive(principal)) };
  },
});

export const payoutReturnRoutes = [list, read];

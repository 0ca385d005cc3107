/** Expected items: what banks are to show. */

import { z } from 'zod';
import { apiOf } from '../../../api/api-resource.ts';
import { oneOrMore } from '../../../api/pages.ts';
import { listRoute, readRoute } from '../../../api/read-routes.ts';
import { routesSince } from '../../../api/route.ts';
import { day } from '../../../api/schemas/fields.ts';
import { expectedItemResource } from '../expected-item-resource.ts';
import { listExpectedItems } from '../expected-item-store.ts';
import * as schemas from './expected-item-schemas.ts';

const expectedItemApi = apiOf(expectedItemResource, {
  path: '/v1/transactions/expected_items',
  tag: 'Reconciliation',
  type: 'ExpectedItem',
  names: { types: 'ExpectedItems', one: 'an expected item', many: 'expected items' },
  schema: schemas.expectedItem,
  scopes: { read: 'reconciliations:read' },
});

const expectedOn = z
  .strictObject({
    gte: day.optional().meta({ description: 'Expected on that day or later.', example: '2026-11-01' }),
    lte: day.optional().meta({ description: 'Expected on that day or before.', example: '2026-11-30' }),
  })
  .optional();

const amountText = z
  .string()
  .regex(/^\d{1,16}$/, 'Expects a whole number of minor units.')
  .transform(BigInt)
  .optional();
const integer = { type: 'integer', format: 'int64' } as const;
const amount = z
  .strictObject({
    gte: amountText.meta({ ...integer, description: 'Of at least so much.' }),
    lte: amountText.meta({ ...integer, description: 'Of at most so much.' }),
  })
  .optional();

const list = listRoute(expectedItemApi, {
  description: 'Items that are not matched and expected long ago are what a bank has not shown.',
  filters: {
    party: z
      .string()
      .regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, 'Expects the name of a rail or an acquirer.')
      .optional()
      .meta({ description: 'Items of this rail or acquirer.' }),
    status: oneOrMore(schemas.EXPECTED_ITEM_STATUSES, 'Items in any of these states.'),
    resource: z
      .string()
      .regex(/^[a-z_]{1,40}$/, 'Expects what moved the money, such as payout.')
      .optional()
      .meta({ description: 'Items of such movements.', example: 'payout' }),
    expected_on: expectedOn,
    amount,
  },
  rows(db, { bookId, query, page }) {
    const one = (value: string | undefined) => (value === undefined ? undefined : [value]);
    const filter = {
      ...{ parties: one(query.party), statuses: query.status, resources: one(query.resource) },
      ...{ expectedOn: query.expected_on, amount: query.amount },
    };
    return listExpectedItems(db, bookId, filter, page);
  },
});

/** Static paths: before those with an id of a transaction. */
export const expectedItemRoutes = routesSince('0.4.0', [list, readRoute(expectedItemApi)]);

import { z } from 'zod';
import { balanceRoute, linesRoute } from '../../../accounts/account/api/account-reads.ts';
import { statementRoute } from '../../../accounts/statements/api/statement-reads.ts';
import { actorOf, runCommand } from '../../../api/answers.ts';
import type { ApiResource } from '../../../api/api-resource.ts';
import { currencyFilter } from '../../../api/pages.ts';
import { listRoute, readRoute } from '../../../api/read-routes.ts';
import { routesSince } from '../../../api/route.ts';
import { askedBy, runUseCase } from '../../../api/run-use-case.ts';
import { createRoute, updateRoute } from '../../../api/write-routes.ts';
import { requestOwnAccountUpdate } from '../change-own-account.ts';
import { chartAccountResource } from '../chart-account-resource.ts';
import { findChartAccount, listChartAccounts } from '../chart-account-store.ts';
import { type ChartAccount, chartAccountView } from '../chart-account-view.ts';
import { openOwnAccount } from '../open-own-account.ts';
import * as schemas from './chart-account-schemas.ts';

export const chartAccountApi: ApiResource<ChartAccount> = {
  path: '/v1/journal/accounts',
  tag: 'Journal',
  type: 'ChartAccount',
  names: { types: 'ChartAccounts', one: 'an account of the chart', many: 'accounts of the chart' },
  declared: chartAccountResource,
  cursor: 'chartAccount',
  schema: schemas.chartAccount,
  scopes: { read: 'journal:read', write: 'journal:write' },
  find: findChartAccount,
  view: chartAccountView,
};

const create = createRoute(chartAccountApi, {
  summary: 'Create an account of your own chart',
  description:
    "For your own bookkeeping beside customers' accounts: entries join own accounts with each other. Its code, type and currency never change.",
  body: schemas.createChartAccount,
  bodyExample: schemas.createChartAccountExample,
  responses: { 201: { description: 'Open.', schema: schemas.chartAccount } },
  errors: [
    'currency_unsupported',
    'amount_not_integer',
    'amount_below_minimum',
    'amount_above_maximum',
    'state_conflict',
    'limit_exceeded',
  ],
  handle(request) {
    const { body, principal, requestId } = request;
    const command = openOwnAccount({
      bookId: principal.bookId,
      code: body.code,
      name: body.name,
      type: body.type,
      currency: body.currency,
      floor: body.floor ?? null,
      externalId: body.external_id ?? null,
      metadata: body.metadata ?? {},
      requestId,
      actor: actorOf(principal),
    });
    return runCommand(request, command);
  },
});

const list = listRoute(chartAccountApi, {
  description: 'All accounts of the book: those of the system, of customers, and your own. In the order of their ids.',
  filters: {
    origin: z.enum(['system', 'customer', 'own']).optional().meta({ description: 'Accounts of this origin.' }),
    currency: currencyFilter,
    code: schemas.ownCode.optional().meta({ description: 'Own accounts with this code, one a currency.' }),
  },
  rows: (db, { bookId, query, page }) => listChartAccounts(db, bookId, query, page),
});

const read = readRoute(chartAccountApi);

const update = updateRoute(chartAccountApi, {
  summary: 'Update an account of your own chart',
  body: schemas.updateChartAccount,
  bodyExample: { name: 'Rent and heating' },
  errors: ['account_not_empty', 'state_conflict'],
  handle(request) {
    const { body, params, ifMatch } = request;
    const change = { accountId: params.id!, name: body.name, status: body.status };
    return runUseCase(request, requestOwnAccountUpdate, {
      ...askedBy(request),
      ...change,
      ...(ifMatch !== undefined && { ifMatch }),
    });
  },
});

const balance = balanceRoute(chartAccountApi, {
  operation: 'getChartAccountBalance',
  summary: 'Retrieve the balance of an account of the chart',
  accountOf: ({ account }) => account,
});

const entries = linesRoute(chartAccountApi, {
  operation: 'listChartAccountEntries',
  summary: 'List entries of an account of the chart',
});

const statement = statementRoute(chartAccountApi, {
  operation: 'getChartAccountStatement',
  summary: 'Retrieve a statement of an account of the chart',
  accountOf: ({ account }) => account,
  nameOf: ({ own, customer }) => (own ?? customer)?.name ?? null,
});

export const chartAccountRoutes = routesSince('0.4.0', [create, list, read, update, balance, entries, statement]);

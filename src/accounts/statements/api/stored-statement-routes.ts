/** Statements of customers' accounts: of the days of a request, and those that are kept. */
import { z } from 'zod';
import { isLive } from '../../../api/answers.ts';
import { apiOf, findOne, paramsOfOne, pathOfOne, urlOf } from '../../../api/api-resource.ts';
import { eventsOf } from '../../../api/event-document.ts';
import { pageAnswer, pageRequest, readList } from '../../../api/pages.ts';
import { readRoute } from '../../../api/read-routes.ts';
import { type RouteAnswer, type RouteRequest, route, routesSince } from '../../../api/route.ts';
import { listOf } from '../../../api/schemas/shown.ts';
import { accountApi } from '../../account/api/account-routes.ts';
import type { CustomerAccount } from '../../account/customer-account-store.ts';
import { readKept } from '../read-kept.ts';
import { statementResource } from '../statement-resource.ts';
import { listStatements } from '../stored-statement-store.ts';
import { formOf, refuseForm, statementAnswer } from './statement-file.ts';
import { statementOfDays } from './statement-reads.ts';
import * as schemas from './statement-schemas.ts';

const FILES = ['text/csv', 'application/pdf', 'application/xml'];

const statementApi = apiOf(statementResource, {
  path: '/v1/accounts/:id/statements',
  tag: 'Accounts',
  type: 'Statement',
  names: { types: 'Statements', one: 'a statement', many: 'statements' },
  schema: schemas.storedStatement,
  scopes: { read: 'accounts:read' },
  parent: { resource: accountApi, param: 'statement' },
});

const ofAccount = {
  accountOf: ({ account }: CustomerAccount) => account,
  nameOf: ({ profile }: CustomerAccount) => profile.name,
};

const statements = route({
  method: 'get',
  path: statementApi.path,
  operation: 'getAccountStatement',
  tag: 'Accounts',
  of: { resource: statementApi, kind: 'children' },
  summary: 'List statements of an account, or retrieve one of any days',
  scope: 'accounts:read',
  description:
    'Without days, the statements that `statement_schedule` has made, newest first. With `from` and `to`, the statement of these days: lines count by the day on which they were posted, so a statement of days that are over never changes, and equal requests give equal bytes while names and texts are equal. Of CSV, the headers `Statement-Lines`, `Statement-Opening`, `Statement-Closing` and `Statement-Digest` have what the file does not.',
  params: paramsOfOne(accountApi),
  query: schemas.statementsQuery,
  responses: {
    200: {
      description: 'From the first to the last day; or a page of those that are made.',
      schema: z.discriminatedUnion('object', [schemas.accountStatement, listOf(schemas.storedStatement, 'Statement')]),
      files: FILES,
    },
  },
  errors: ['parameter_missing'],
  handle(request) {
    const { from, to, format, bom } = request.query as schemas.StatementQuery;
    const isList = [from, to, format, bom].every((given) => given === undefined);
    return isList ? listed(request) : statementOfDays(accountApi, request, ofAccount);
  },
});

async function listed(request: RouteRequest<unknown, z.output<typeof schemas.statementsQuery>>): Promise<RouteAnswer> {
  const { principal, query, runtime } = request;
  const { account } = await findOne(accountApi, request);
  const page = await readList(request, (db) => listStatements(db, principal.bookId, account.id, pageRequest(query)));
  const url = urlOf(statementApi.path, paramsOfOne(accountApi), request);
  const shown = { livemode: isLive(principal), wall: runtime.clock.now() };
  return pageAnswer(page, { query, url, cursor: statementApi.cursor }, (row) => statementApi.view(row, shown));
}

const content = route({
  method: 'get',
  path: `${pathOfOne(statementApi)}/content`,
  operation: 'getStatementContent',
  tag: 'Accounts',
  summary: 'Download a statement',
  scope: 'accounts:read',
  description:
    'With its lines, in any form. The same bytes while names and texts are equal, and the same `digest` always: it is held against the one that was kept.',
  params: paramsOfOne(statementApi),
  query: schemas.contentQuery,
  responses: {
    200: { description: 'From the first to the last day.', schema: schemas.accountStatement, files: FILES },
  },
  async handle(request) {
    const { runtime, principal, query } = request;
    const kept = await findOne(statementApi, request);
    const { account, profile } = await findOne(accountApi, request);
    const form = formOf(query);
    const read = await readKept(runtime, { bookId: principal.bookId, kept, account, accountName: profile.name });
    refuseForm(read.head, form);
    return statementAnswer(runtime, await read.sum(), form);
  },
});

export const statementRoutes = routesSince('0.4.0', [statements, readRoute(statementApi), content]);

export const statementEvents = eventsOf(statementApi, {
  summary: { 'statement.ready': 'A statement is ready' },
  when: { 'statement.ready': 'A day or month of an account is over, and its statement was made.' },
});

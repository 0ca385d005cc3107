/** Statements of bank accounts, and what people make of those that are held. */
import { z } from 'zod';
import { found } from '../../../api/answers.ts';
import { type ApiResource, apiOf, findOne, type Listed } from '../../../api/api-resource.ts';
import { oneOrMore } from '../../../api/pages.ts';
import { childrenRoute, listRoute, readRoute, timelineRoute } from '../../../api/read-routes.ts';
import { type RouteRequest, route, routesSince } from '../../../api/route.ts';
import { askedBy, runUseCase } from '../../../api/run-use-case.ts';
import { reference } from '../../../api/schemas/fields.ts';
import { actionRoute } from '../../../api/write-routes.ts';
import { openFile } from '../../../intake/sealed-file.ts';
import { withAllocations } from '../../lines/allocation-store.ts';
import { bankLineApi } from '../../lines/api/bank-line-routes.ts';
import type { BankLine } from '../../lines/bank-line.ts';
import { listLinesOf } from '../../lines/bank-line-store.ts';
import { requestApproval, requestDecision } from '../../runs/handle-statement.ts';
import { bankStatementResource } from '../bank-statement-resource.ts';
import { listBankStatements } from '../bank-statement-table.ts';
import * as schemas from './bank-statement-schemas.ts';

export const bankStatementApi = apiOf(bankStatementResource, {
  path: '/v1/transactions/bank_statements',
  tag: 'Reconciliation',
  type: 'BankStatement',
  names: { types: 'BankStatements', one: 'a bank statement', many: 'bank statements' },
  schema: schemas.bankStatement,
  scopes: { read: 'reconciliations:read', write: 'reconciliations:write' },
});

const list = listRoute(bankStatementApi, {
  filters: {
    bank_account: reference('bankAccount', 'Statements of this account.').optional(),
    status: oneOrMore(schemas.BANK_STATEMENT_STATUSES, 'Statements in any of these states.'),
  },
  rows(db, { bookId, query, page }) {
    const { bank_account: account, status: statuses } = query;
    return listBankStatements(
      db,
      bookId,
      { bankAccountIds: account === undefined ? undefined : [account], statuses },
      page,
    );
  },
});

const linesOf: Listed<BankLine> = { ...bankLineApi, path: '/v1/transactions/bank_statements/:id/lines' };

const lines = childrenRoute(bankStatementApi as ApiResource<unknown>, linesOf, {
  operation: 'listBankStatementLines',
  summary: 'List lines of a bank statement',
  filters: {},
  async rows(db, { bookId, parentId: statementId, page }) {
    const found = await listLinesOf(db, { bookId, statementId }, page);
    return { ...found, rows: await withAllocations(db, bookId, found.rows) };
  },
});

const MEDIA = 'application/octet-stream';

const content = route({
  method: 'get',
  path: '/v1/transactions/bank_statements/:id/content',
  operation: 'getBankStatementContent',
  tag: 'Reconciliation',
  summary: "Download a bank statement's file",
  description:
    'The bytes of the file that brought it, as they came. It may have other statements too. `ETag` is their SHA-256.',
  scope: 'reconciliations:read',
  params: { id: 'bankStatement' },
  responses: { 200: { description: 'The file.', schema: z.string(), files: [MEDIA], isFile: true } },
  async handle(request) {
    const { sha256 } = await findOne(bankStatementApi, request);
    const { runtime, principal } = request;
    const file = await openFile(runtime.pool, runtime.secretBox, { bookId: principal.bookId, sha256 });
    const kept = found(file, 'id', 'The file of this statement is not kept any more.');
    const name = `${sha256.slice(0, 16)}.bin`;
    return { status: 200, headers: ['ETag', `"${sha256}"`], file: { contentType: MEDIA, name, content: kept } };
  },
});

const asked = (request: RouteRequest) => ({
  ...askedBy(request),
  statementId: request.params.id!,
  ifMatch: request.ifMatch,
  ownerKind: request.principal.ownerKind,
});

const accept = actionRoute(bankStatementApi, 'accept', {
  summary: 'Accept a bank statement',
  description:
    'A held one, as it is. Once another person approves, its lines are posted, and what does not come to its closing balance is one line more. With the key of a person.',
  body: schemas.acceptBankStatement,
  bodyExample: { reason: 'The bank confirms that statement 12 was never made.' },
  errors: ['card_number_not_allowed'],
  handle: (request) =>
    runUseCase(request, requestDecision, { ...asked(request), decision: 'accept', reason: request.body.reason }),
});

const reject = actionRoute(bankStatementApi, 'reject', {
  summary: 'Reject a bank statement',
  description: 'A held one. Once another person approves, nothing of it is ever posted. With the key of a person.',
  body: schemas.rejectBankStatement,
  bodyExample: { reason: 'The bank sent it by mistake.' },
  errors: ['card_number_not_allowed'],
  handle: (request) =>
    runUseCase(request, requestDecision, { ...asked(request), decision: 'reject', reason: request.body.reason }),
});

const approve = actionRoute(bankStatementApi, 'approve', {
  summary: 'Approve what was decided about a bank statement',
  description: 'By another person than the one who decided. With the key of a person.',
  scope: 'reconciliations:approve',
  body: schemas.approveBankStatement,
  bodyExample: { version: 3 },
  errors: ['self_approval_forbidden', 'version_mismatch'],
  handle: (request) => runUseCase(request, requestApproval, { ...asked(request), version: request.body.version }),
});

/** Static paths: before those with an id of a transaction. */
export const bankStatementRoutes = routesSince('0.4.0', [
  list,
  readRoute(bankStatementApi),
  timelineRoute(bankStatementApi),
  lines,
  content,
  accept,
  reject,
  approve,
]);

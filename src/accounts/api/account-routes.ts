import { z } from 'zod';
import { actorOf, found, isKnownRequest, isLive, runCommand } from '../../api/answers.ts';
import {
  createdAtFilter,
  currencyFilter,
  externalIdFilter,
  instant,
  listAnswer,
  listQuery,
  metadataFilter,
  oneOrMore,
  pageAnswer,
  pageRequest,
  readList,
} from '../../api/pages.ts';
import { type RouteRequest, route } from '../../api/route.ts';
import { askedBy, runUseCase } from '../../api/run-use-case.ts';
import { accountEntry } from '../../api/schemas/journal.ts';
import { listOf } from '../../api/schemas/shown.ts';
import { timeline } from '../../api/schemas/timeline.ts';
import { requireScope } from '../../api/scopes.ts';
import { formatInstant, type Instant } from '../../clock.ts';
import { ApiError } from '../../errors.ts';
import { publicId, resourceReference } from '../../ids.ts';
import { findBalanceAt } from '../../ledger/balance-at-store.ts';
import { momentOf } from '../../ledger/batch.ts';
import { loadBook } from '../../ledger/book-store.ts';
import { type AccountLine, listAccountLines } from '../../ledger/journal-read-store.ts';
import { currencyExponent } from '../../money/currency.ts';
import { readTimeline } from '../../timeline/timeline.ts';
import { listAccounts } from '../account-list-store.ts';
import { accountView, balanceView } from '../account-profile.ts';
import type { AccountAction } from '../account-status.ts';
import { type CustomerAccount, findCustomerAccount } from '../customer-account-store.ts';
import { declaredAccount } from '../index.ts';
import { openAccount } from '../open-account.ts';
import { requestAccountAction, requestAccountUpdate } from '../request-account-change.ts';
import * as schemas from './account-schemas.ts';

const tag = 'Accounts';
const one = { 200: { description: 'As it is now.', schema: schemas.account } };

async function findAccount({ runtime, principal, params }: RouteRequest): Promise<CustomerAccount> {
  return found(await findCustomerAccount(runtime.pool, principal.bookId, params.id!));
}

function view({ account, profile, isDefault }: CustomerAccount, livemode: boolean) {
  return accountView(account, profile, { livemode, isDefault });
}

const create = route({
  method: 'post',
  path: '/v1/accounts',
  operation: 'createAccount',
  tag,
  summary: 'Open an account',
  description:
    'The first one of a currency becomes its default: payouts that name no account leave it. An `overdraft_limit` above 0 needs the scope `accounts:overdraft`, and stays within what the operator allows the book.',
  scope: 'accounts:write',
  body: schemas.createAccount,
  bodyExample: schemas.createAccountExample,
  responses: { 201: { description: 'Open.', schema: schemas.account } },
  errors: [
    'currency_unsupported',
    'amount_not_integer',
    'amount_below_minimum',
    'amount_above_maximum',
    'limit_exceeded',
  ],
  async handle(request) {
    const { body, principal, requestId } = request;
    if ((body.overdraft_limit ?? 0n) > 0n && !(await isKnownRequest(request)))
      requireScope(principal, 'accounts:overdraft');
    const command = openAccount({
      currency: body.currency,
      name: body.name,
      overdraftLimit: body.overdraft_limit ?? 0n,
      externalId: body.external_id ?? null,
      metadata: body.metadata ?? {},
      requestId,
      actor: actorOf(principal),
    });
    return runCommand(request, command);
  },
});

const list = route({
  method: 'get',
  path: '/v1/accounts',
  operation: 'listAccounts',
  tag,
  summary: 'List accounts',
  scope: 'accounts:read',
  query: listQuery('account', {
    status: oneOrMore(schemas.ACCOUNT_STATUSES, 'Accounts in any of these states.'),
    currency: currencyFilter,
    created_at: createdAtFilter,
    external_id: externalIdFilter,
    metadata: metadataFilter,
  }),
  responses: { 200: { description: 'Newest first.', schema: listOf(schemas.account, 'Account') } },
  async handle(request) {
    const { principal, query } = request;
    const filter = {
      statuses: query.status,
      currency: query.currency,
      createdGte: query.created_at?.gte,
      createdLt: query.created_at?.lt,
      externalId: query.external_id,
      metadata: query.metadata,
    };
    const page = await readList(request, (db) => listAccounts(db, principal.bookId, filter, pageRequest(query)));
    return pageAnswer(page, { query, url: '/v1/accounts', kind: 'account' }, (account) =>
      view(account, isLive(principal)),
    );
  },
});

const read = route({
  method: 'get',
  path: '/v1/accounts/:id',
  operation: 'getAccount',
  tag,
  summary: 'Read an account',
  scope: 'accounts:read',
  params: { id: 'account' },
  responses: one,
  async handle(request) {
    return { status: 200, json: view(await findAccount(request), isLive(request.principal)) };
  },
});

const update = route({
  method: 'patch',
  path: '/v1/accounts/:id',
  operation: 'updateAccount',
  tag,
  summary: 'Change name, reference or metadata',
  scope: 'accounts:write',
  params: { id: 'account' },
  ifMatch: true,
  body: schemas.updateAccount,
  bodyExample: { name: 'Payroll' },
  responses: one,
  handle(request) {
    const { body, params, ifMatch } = request;
    return runUseCase(request, requestAccountUpdate, {
      ...askedBy(request),
      accountId: params.id!,
      ifMatch,
      name: body.name,
      externalId: body.external_id,
      metadata: body.metadata,
    });
  },
});

const balance = route({
  method: 'get',
  path: '/v1/accounts/:id/balance',
  operation: 'getAccountBalance',
  tag,
  summary: 'Read the balance of an account',
  scope: 'accounts:read',
  description: 'As it is now, or with `at` as it was at a moment: every line posted until then counts.',
  params: { id: 'account' },
  query: z.strictObject({ at: instant.optional() }),
  responses: { 200: { description: 'As it is, or was.', schema: schemas.balance } },
  async handle(request) {
    const { principal, query } = request;
    const { account } = await findAccount(request);
    const head = { object: 'balance', livemode: isLive(principal), account: publicId('account', account.id) };
    const now = { sequence: account.lines, ...balanceView(account) };
    if (query.at === undefined) return { status: 200, json: { ...head, at: null, ...now } };
    const at = query.at;
    await refuseFuture(request, at);
    const { line, posted } = await readList(request, (db) => findBalanceAt(db, principal.bookId, account, at));
    const then = { sequence: line, posted, held: null, available: null };
    return { status: 200, json: { ...head, at: formatInstant(at), ...now, ...then } };
  },
});

/** Lines to come would change the answer. The book's own time counts, which may be ahead of the world's. */
async function refuseFuture({ runtime, principal }: RouteRequest, at: Instant): Promise<void> {
  if (at <= runtime.clock.now()) return;
  const book = await loadBook(runtime.pool, principal.bookId);
  if (book && at <= momentOf(runtime.clock, book).book) return;
  throw new ApiError('parameter_invalid', { param: 'at', detail: 'Expects a moment that is not in the future.' });
}

const entries = route({
  method: 'get',
  path: '/v1/accounts/:id/entries',
  operation: 'listAccountEntries',
  tag,
  summary: 'List the lines of an account',
  description: 'One for each posting that touched it, with the balance after. Cursors are sequence numbers.',
  scope: 'accounts:read',
  params: { id: 'account' },
  query: listQuery('sequence', {}),
  responses: { 200: { description: 'Newest first.', schema: listOf(accountEntry, 'AccountEntry') } },
  async handle(request) {
    const { principal, query } = request;
    const { account } = await findAccount(request);
    const page = await readList(request, (db) =>
      listAccountLines(db, principal.bookId, account.id, pageRequest(query)),
    );
    const data = page.rows.map(lineView);
    const url = `/v1/accounts/${publicId('account', account.id)}/entries`;
    const backwards = query.ending_before !== undefined;
    const cursorOf = ({ sequence }: { sequence: bigint }) => String(sequence);
    return { status: 200, json: listAnswer({ data, hasMore: page.hasMore, url, backwards, cursorOf }) };
  },
});

function lineView(line: AccountLine) {
  return {
    object: 'account_entry',
    sequence: line.line,
    direction: line.direction,
    amount: line.amount,
    currency: line.currency,
    currency_exponent: currencyExponent(line.currency),
    balance_after: line.balanceAfter,
    counter_account: publicId('account', line.counterAccountId),
    journal_entry: publicId('entry', line.entryId),
    resource: line.resource,
    resource_id: resourceReference(line.resource, line.resourceId),
    step: line.step,
    posted_at: formatInstant(line.postedAt),
    effective_at: formatInstant(line.effectiveAt),
  };
}

const history = route({
  method: 'get',
  path: '/v1/accounts/:id/timeline',
  operation: 'getAccountTimeline',
  tag,
  summary: 'What happened to an account',
  scope: 'accounts:read',
  params: { id: 'account' },
  responses: { 200: { description: 'Oldest first.', schema: timeline } },
  async handle(request) {
    const { account } = await findAccount(request);
    const { bookId } = request.principal;
    return {
      status: 200,
      json: await readList(request, (db) => readTimeline(db, { bookId, resource: declaredAccount, id: account.id })),
    };
  },
});

const SUMMARIES: Record<AccountAction, string> = {
  freeze: 'Freeze an account: it receives, but nothing leaves it',
  unfreeze: 'Unfreeze an account',
  close: 'Close an account that is empty, for good',
};

function action(name: AccountAction) {
  return route({
    method: 'post',
    path: `/v1/accounts/:id/${name}`,
    operation: `${name}Account`,
    tag,
    summary: SUMMARIES[name],
    scope: 'accounts:write',
    params: { id: 'account' },
    ifMatch: true,
    responses: one,
    errors: name === 'close' ? ['state_conflict', 'account_not_empty'] : ['state_conflict'],
    handle(request) {
      const { params, ifMatch } = request;
      const asked = { ...askedBy(request), accountId: params.id!, action: name, ifMatch };
      return runUseCase(request, requestAccountAction, asked);
    },
  });
}

export const accountRoutes = [
  create,
  read,
  list,
  update,
  balance,
  entries,
  history,
  action('freeze'),
  action('unfreeze'),
  action('close'),
];

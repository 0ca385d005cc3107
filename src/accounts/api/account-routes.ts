import { z } from 'zod';
import { actorOf, isKnownRequest, isLive, runCommand } from '../../api/answers.ts';
import { type ApiResource, findOne, type Listed } from '../../api/api-resource.ts';
import {
  createdAtFilter,
  currencyFilter,
  externalIdFilter,
  instant,
  metadataFilter,
  oneOrMore,
  readList,
} from '../../api/pages.ts';
import { childrenRoute, listRoute, readRoute, timelineRoute } from '../../api/read-routes.ts';
import { type RouteRequest, route } from '../../api/route.ts';
import { askedBy, runUseCase } from '../../api/run-use-case.ts';
import { accountEntry } from '../../api/schemas/journal.ts';
import { requireScope } from '../../api/scopes.ts';
import { actionRoute, createRoute, updateRoute } from '../../api/write-routes.ts';
import { ApiError } from '../../errors/errors.ts';
import { type AccountLine, listAccountLines } from '../../ledger/account-line-store.ts';
import { findBalanceAt } from '../../ledger/balance-at-store.ts';
import { loadBook } from '../../ledger/book-store.ts';
import { momentOf } from '../../ledger/commit/batch.ts';
import { currencyExponent } from '../../money/currency.ts';
import { formatInstant, type Instant } from '../../values/clock.ts';
import { publicId, resourceReference } from '../../values/ids.ts';
import { listAccounts } from '../account-list-store.ts';
import { accountView, balanceView } from '../account-profile.ts';
import type { AccountAction } from '../account-status.ts';
import { type CustomerAccount, findCustomerAccount } from '../customer-account-store.ts';
import { declaredAccount } from '../index.ts';
import { openAccount } from '../open-account.ts';
import { requestAccountAction, requestAccountUpdate } from '../request-account-change.ts';
import * as schemas from './account-schemas.ts';

export const accountApi: ApiResource<CustomerAccount> = {
  path: '/v1/accounts',
  tag: 'Accounts',
  type: 'Account',
  names: { types: 'Accounts', one: 'an account', many: 'accounts' },
  cursor: 'account',
  schema: schemas.account,
  scopes: { read: 'accounts:read', write: 'accounts:write' },
  find: findCustomerAccount,
  view: ({ account, profile, isDefault }, { livemode }) => accountView(account, profile, { livemode, isDefault }),
};

const create = createRoute(accountApi, {
  summary: 'Create an account',
  description:
    'The first one of a currency becomes its default: payouts that name no account leave it. An `overdraft_limit` above 0 needs the scope `accounts:overdraft`, and stays within what the operator allows the book.',
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

const list = listRoute(accountApi, {
  filters: {
    status: oneOrMore(schemas.ACCOUNT_STATUSES, 'Accounts in any of these states.'),
    currency: currencyFilter,
    created_at: createdAtFilter,
    external_id: externalIdFilter,
    metadata: metadataFilter,
  },
  rows(db, { bookId, query, page }) {
    const { status: statuses, currency, created_at: created, external_id: externalId, metadata } = query;
    const filter = { statuses, currency, createdGte: created?.gte, createdLt: created?.lt, externalId, metadata };
    return listAccounts(db, bookId, filter, page);
  },
});

const read = readRoute(accountApi);

const update = updateRoute(accountApi, {
  summary: 'Update an account',
  body: schemas.updateAccount,
  bodyExample: { name: 'Payroll' },
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
  tag: 'Accounts',
  summary: "Retrieve an account's balance",
  scope: 'accounts:read',
  description: 'As it is now, or with `at` as it was at a moment: every line posted until then counts.',
  params: { id: 'account' },
  query: z.strictObject({ at: instant.optional() }),
  responses: { 200: { description: 'As it is, or was.', schema: schemas.balance } },
  async handle(request) {
    const { principal, query } = request;
    const { account } = await findOne(accountApi, request);
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

const lines: Listed<AccountLine> = {
  path: '/v1/accounts/:id/entries',
  type: 'AccountEntry',
  cursor: 'sequence',
  schema: accountEntry,
  view: lineView,
};

const entries = childrenRoute(accountApi, lines, {
  operation: 'listAccountEntries',
  summary: 'List entries of an account',
  description: 'One for each posting that touched it, with the balance after. Cursors are sequence numbers.',
  filters: {},
  rows: (db, { bookId, parentId, page }) => listAccountLines(db, bookId, parentId, page),
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

const timeline = timelineRoute(accountApi, declaredAccount);

const TEXTS: Record<AccountAction, { summary: string; description: string }> = {
  freeze: { summary: 'Freeze an account', description: 'It receives, and nothing leaves it.' },
  unfreeze: { summary: 'Unfreeze an account', description: 'It is open again.' },
  close: {
    summary: 'Close an account',
    description: 'For good, and only while it is empty: `blocked_by` says what it still holds.',
  },
};

function action(name: AccountAction) {
  return actionRoute(accountApi, name, {
    ...TEXTS[name],
    errors: name === 'close' ? ['account_not_empty'] : [],
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
  timeline,
  action('freeze'),
  action('unfreeze'),
  action('close'),
];

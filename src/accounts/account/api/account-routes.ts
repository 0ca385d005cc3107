import { actorOf, isKnownRequest, runCommand } from '../../../api/answers.ts';
import type { ApiResource } from '../../../api/api-resource.ts';
import { createdAtFilter, currencyFilter, externalIdFilter, metadataFilter, oneOrMore } from '../../../api/pages.ts';
import { listRoute, readRoute, timelineRoute } from '../../../api/read-routes.ts';
import { askedBy, runUseCase } from '../../../api/run-use-case.ts';
import { requireScope } from '../../../api/scopes.ts';
import { actionRoute, createRoute, updateRoute } from '../../../api/write-routes.ts';
import { listAccounts } from '../account-list-store.ts';
import { accountView } from '../account-profile.ts';
import { accountResource } from '../account-resource.ts';
import type { AccountAction } from '../account-status.ts';
import { requestAccountAction, requestAccountUpdate } from '../change-account.ts';
import { type CustomerAccount, findCustomerAccount } from '../customer-account-store.ts';
import { openAccount } from '../open-account.ts';
import { balanceRoute, linesRoute } from './account-reads.ts';
import * as schemas from './account-schemas.ts';

export const accountApi: ApiResource<CustomerAccount> = {
  path: '/v1/accounts',
  tag: 'Accounts',
  type: 'Account',
  names: { types: 'Accounts', one: 'an account', many: 'accounts' },
  declared: accountResource,
  cursor: 'account',
  schema: schemas.account,
  scopes: { read: 'accounts:read', write: 'accounts:write' },
  find: findCustomerAccount,
  view: ({ account, profile, isDefault }, { livemode }) => accountView(account, profile, { livemode, isDefault }),
};

const TERMS_SINCE = { '0.4.0': ['/low_balance_alert', '/statement_schedule'] };

const create = createRoute(accountApi, {
  summary: 'Create an account',
  description:
    'The first one of a currency becomes its default: payouts that name no account leave it. An `overdraft_limit` above 0 needs the scope `accounts:overdraft`, and stays within what the operator allows the book.',
  body: schemas.createAccount,
  membersSince: TERMS_SINCE,
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
      alertBelow: body.low_balance_alert?.available_below ?? null,
      statementSchedule: schemas.scheduleAsked(body.statement_schedule),
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
  membersSince: TERMS_SINCE,
  bodyExample: { name: 'Payroll', low_balance_alert: { available_below: 50_000 } },
  errors: ['amount_not_integer', 'amount_below_minimum', 'amount_above_maximum'],
  handle(request) {
    const { body, params, ifMatch } = request;
    return runUseCase(request, requestAccountUpdate, {
      ...askedBy(request),
      accountId: params.id!,
      ifMatch,
      name: body.name,
      alertBelow: body.low_balance_alert === null ? null : body.low_balance_alert?.available_below,
      statementSchedule: schemas.scheduleAsked(body.statement_schedule),
      externalId: body.external_id,
      metadata: body.metadata,
    });
  },
});

const balance = balanceRoute(accountApi, {
  operation: 'getAccountBalance',
  summary: "Retrieve an account's balance",
  accountOf: ({ account }) => account,
});

const entries = linesRoute(accountApi, { operation: 'listAccountEntries', summary: 'List entries of an account' });

const timeline = timelineRoute(accountApi);

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

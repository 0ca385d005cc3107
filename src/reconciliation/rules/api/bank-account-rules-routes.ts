/** Versions of the matching rules of a bank account. */

import { type ApiResource, apiOf } from '../../../api/api-resource.ts';
import { oneOrMore } from '../../../api/pages.ts';
import { childrenRoute, readRoute } from '../../../api/read-routes.ts';
import { type Route, routesSince } from '../../../api/route.ts';
import { askedBy, runUseCase } from '../../../api/run-use-case.ts';
import { isVersionNumber } from '../../../api/schemas/fields.ts';
import { actionRoute, createRoute } from '../../../api/write-routes.ts';
import { ApiError } from '../../../errors/errors.ts';
import { bankAccountApi } from '../../accounts/api/bank-account-routes.ts';
import { requestRulesActivation } from '../activate-rules.ts';
import { bankAccountRulesResource } from '../bank-account-rules-resource.ts';
import { findRulesByNumber, listBankAccountRules } from '../bank-account-rules-table.ts';
import { requestRulesDraft } from '../draft-rules.ts';
import * as schemas from './bank-account-rules-schemas.ts';

const parent = bankAccountApi as ApiResource<unknown>;

const bankAccountRulesApi = apiOf(bankAccountRulesResource, {
  path: '/v1/transactions/bank_accounts/:id/rules',
  tag: 'Reconciliation',
  type: 'BankAccountRules',
  names: { types: 'BankAccountRulesVersions', one: 'a version of matching rules', many: 'versions of matching rules' },
  schema: schemas.bankAccountRules,
  scopes: { read: 'reconciliations:read', write: 'reconciliations:write' },
  parent: { resource: parent, param: 'version' },
});

const create = createRoute(bankAccountRulesApi, {
  summary: 'Draft a version of matching rules',
  description:
    'A version has all rules of the bank account and never changes: another one takes its place. Nothing is matched by it before another person activates it. With the key of a person.',
  body: schemas.draftRules,
  bodyExample: schemas.draftRulesExample,
  responses: { 201: { description: 'A draft.', schema: schemas.bankAccountRules } },
  errors: [
    'amount_above_maximum',
    'amount_below_minimum',
    'amount_not_integer',
    'card_number_not_allowed',
    'resource_not_found',
    'state_conflict',
  ],
  handle(request) {
    const { body, params, principal } = request;
    return runUseCase(request, requestRulesDraft, {
      ...askedBy(request),
      ownerKind: principal.ownerKind,
      bankAccountId: params.id!,
      ...schemas.contentOf(body),
    });
  },
});

const list = childrenRoute(parent, bankAccountRulesApi, {
  operation: 'listBankAccountRulesVersions',
  summary: 'List versions of matching rules of a bank account',
  filters: { status: oneOrMore(schemas.RULES_STATUSES, 'Versions in any of these states.') },
  rows: (db, { bookId, parentId, query, page }) =>
    listBankAccountRules(db, { bookId, bankAccountId: parentId, statuses: query.status }, page),
});

const activate = actionRoute(bankAccountRulesApi, 'activate', {
  summary: 'Activate a version of matching rules',
  description:
    'By another person than the one who drafted it. Lines are matched by it from now on, and the version before it is retired; what is matched stays. With the key of a person.',
  scope: 'reconciliations:approve',
  errors: ['self_approval_forbidden'],
  handle(request) {
    const { params, principal, ifMatch } = request;
    return runUseCase(request, requestRulesActivation, {
      ...{ ...askedBy(request), ifMatch, ownerKind: principal.ownerKind },
      ...{ bankAccountId: params.id!, rulesId: params.version! },
    });
  },
});

/** Of a version as people call it: by its id or, as `rules_version` of the bank account has it, by its number. */
function byNumberToo(route: Route): Route {
  return {
    ...route,
    numbered: 'version',
    handle: async (request) => {
      const { runtime, principal, params } = request;
      if (!isVersionNumber(params.version!)) return route.handle(request);
      const of = { bankAccountId: params.id!, number: Number(params.version) };
      const rules = await findRulesByNumber(runtime.pool, principal.bookId, of);
      if (rules !== undefined) return route.handle({ ...request, params: { ...params, version: rules.id } });
      throw new ApiError('resource_not_found', {
        param: 'version',
        detail: 'This bank account has no version with that number.',
      });
    },
  };
}

/** Static paths: before those with an id of a transaction. */
export const bankAccountRulesRoutes = routesSince('0.4.0', [
  create,
  list,
  byNumberToo(readRoute(bankAccountRulesApi)),
  byNumberToo(activate),
]);

/** Bank accounts of the operator's. */

import { actorOf, changedBy, runCommand } from '../../../api/answers.ts';
import { apiOf } from '../../../api/api-resource.ts';
import type { ApiRuntime } from '../../../api/api-runtime.ts';
import { oneOrMore } from '../../../api/pages.ts';
import { listRoute, readRoute, timelineRoute } from '../../../api/read-routes.ts';
import { routesSince } from '../../../api/route.ts';
import { askedBy, runUseCase } from '../../../api/run-use-case.ts';
import { actionRoute, createRoute, updateRoute } from '../../../api/write-routes.ts';
import { ApiError } from '../../../errors/errors.ts';
import type { Mode } from '../../../ledger/book/book.ts';
import { plainIdentifier } from '../../../outside/credits/credited-account-store.ts';
import { bankAccountResource } from '../bank-account-resource.ts';
import { bankAccounts, listBankAccounts } from '../bank-account-table.ts';
import { updateBankAccount } from '../change-bank-account.ts';
import { requestClosing } from '../close-bank-account.ts';
import { openBankAccount } from '../open-bank-account.ts';
import { isOperatorsBook } from '../operators-book.ts';
import * as schemas from './bank-account-schemas.ts';

export const bankAccountApi = apiOf(bankAccountResource, {
  path: '/v1/transactions/bank_accounts',
  tag: 'Reconciliation',
  type: 'BankAccount',
  names: { types: 'BankAccounts', one: 'a bank account', many: 'bank accounts' },
  schema: schemas.bankAccount,
  scopes: { read: 'reconciliations:read', write: 'reconciliations:write' },
});

/**
 * Throws ApiError `parameter_invalid` for who is neither a rail nor an acquirer of the installation: it names those that there are. What the account
 * has already stays, also after the party is gone.
 */
function requireParties(
  { rails, acquirers }: Pick<ApiRuntime, 'rails' | 'acquirers'>,
  given: readonly { readonly party: string }[],
  already: readonly { readonly party: string }[] = [],
): void {
  const here = [...new Set([...rails.all(), ...acquirers.all()].map(({ name }) => name))].sort();
  const known = new Set([...here, ...already.map(({ party }) => party)]);
  const detail = `Expects the name of a rail or an acquirer: ${here.join(', ')}.`;
  const [first, ...others] = given.flatMap(({ party }, index) =>
    known.has(party) ? [] : [{ code: 'parameter_invalid' as const, param: `/parties/${index}/party`, detail }],
  );
  if (first === undefined) return;
  throw new ApiError('parameter_invalid', { param: first.param, detail, fieldErrors: [first, ...others] });
}

interface Located {
  readonly mode: Mode;
  readonly currency: string;
  readonly identifiers: readonly string[];
}

/** By notification where a rail by files reads those of the account. */
function allocateOnOf({ rails }: Pick<ApiRuntime, 'rails'>, { mode, currency, identifiers }: Located) {
  const isRead = rails
    .files()
    .filter((rail) => rail.mode === mode)
    .flatMap((rail) => rail.receivesOn(currency))
    .some((account) => account.identifiers.some((one) => identifiers.includes(plainIdentifier(one))));
  return isRead ? 'notification' : 'statement';
}

const create = createRoute(bankAccountApi, {
  summary: 'Create a bank account',
  description:
    "In a book of the operator's. What stands on it is booked at once: bank → own_funds. Statements of it are posted from then on.",
  body: schemas.createBankAccount,
  bodyExample: schemas.createBankAccountExample,
  responses: { 201: { description: 'Open.', schema: schemas.bankAccount } },
  errors: [
    'card_number_not_allowed',
    'currency_unsupported',
    'amount_not_integer',
    'amount_below_minimum',
    'amount_above_maximum',
    'state_conflict',
  ],
  async handle(request) {
    const { body, principal, requestId, runtime } = request;
    requireParties(runtime, body.parties);
    const command = openBankAccount({
      bookId: principal.bookId,
      isOperators: await isOperatorsBook(runtime.pool, principal),
      requestId,
      actor: actorOf(principal),
      name: body.name,
      currency: body.currency,
      identifiers: body.identifiers,
      bic: body.bic ?? null,
      holds: body.holds,
      openingOn: body.opening.on,
      openingAmount: body.opening.amount,
      outstanding: [...new Set(body.opening.outstanding)],
      booksFrom: body.books_from,
      reversalIndicator: body.reversal_indicator,
      allocateOn: body.allocate_on ?? allocateOnOf(runtime, { mode: principal.mode, ...body }),
      calendar: body.calendar,
      windowBefore: body.window.before,
      windowAfter: body.window.after,
      parties: body.parties,
    });
    return runCommand(request, command);
  },
});

const list = listRoute(bankAccountApi, {
  filters: { status: oneOrMore(schemas.BANK_ACCOUNT_STATUSES, 'Bank accounts in any of these states.') },
  rows: (db, { bookId, query, page }) => listBankAccounts(db, { bookId, statuses: query.status }, page),
});

const update = updateRoute(bankAccountApi, {
  summary: 'Update a bank account',
  description: 'What is posted already stays as it is.',
  body: schemas.updateBankAccount,
  bodyExample: { name: 'Current account in Amman' },
  errors: ['card_number_not_allowed'],
  async handle(request) {
    const { body, principal, runtime } = request;
    const bankAccountId = request.params.id!;
    const change = {
      ...(body.name !== undefined && { name: body.name }),
      ...(body.bic !== undefined && { bic: body.bic }),
      ...(body.books_from !== undefined && { booksFrom: body.books_from }),
      ...(body.reversal_indicator !== undefined && { reversalIndicator: body.reversal_indicator }),
      ...(body.allocate_on !== undefined && { allocateOn: body.allocate_on }),
      ...(body.calendar !== undefined && { calendar: body.calendar }),
      ...(body.window !== undefined && { windowBefore: body.window.before, windowAfter: body.window.after }),
      ...(body.parties !== undefined && { parties: body.parties }),
    };
    const known = await bankAccounts.find(runtime.pool, principal.bookId, bankAccountId);
    requireParties(runtime, body.parties ?? [], known?.parties);
    return runCommand(request, updateBankAccount({ ...changedBy(request), bankAccountId, change, known }));
  },
});

const close = actionRoute(bankAccountApi, 'close', {
  summary: 'Close a bank account',
  description:
    'At zero, with every line matched, and without a statement that is held or being posted. Nothing more is posted on it.',
  handle: (request) =>
    runUseCase(request, requestClosing, {
      ...{ ...askedBy(request), ifMatch: request.ifMatch },
      bankAccountId: request.params.id!,
    }),
});

/** Static paths: before those with an id of a transaction. */
export const bankAccountRoutes = routesSince('0.4.0', [
  create,
  list,
  readRoute(bankAccountApi),
  timelineRoute(bankAccountApi),
  update,
  close,
]);

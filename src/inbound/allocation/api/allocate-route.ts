import { z } from 'zod';
import { routesSince } from '../../../api/route.ts';
import { askedBy, runUseCase } from '../../../api/run-use-case.ts';
import { exampleId, reference } from '../../../api/schemas/fields.ts';
import { actionRoute } from '../../../api/write-routes.ts';
import { exceptionApi } from '../../../exceptions/api/exception-routes.ts';
import { requestAllocation } from '../allocate-credit.ts';

const allocateException = z
  .strictObject({
    book: reference('book', 'A book of a customer, of the same mode.'),
    account: reference(
      'account',
      'An account of that book, in the currency of the credit. The credit arrives there once another person has approved it.',
    ).optional(),
  })
  .meta({ id: 'AllocateException' });

const allocate = actionRoute(exceptionApi, 'allocate', {
  summary: 'Allocate a credit to a book',
  description:
    'In a book of the operator’s: gives a credit that no account received to a customer’s book. Nothing is booked, so one person is enough; the exception ends, and one of that book asks its persons for the account. With an account the exception is `adjusted`: once another person of the operator’s approves it, the credit is an inbound transfer of that account. With the key of a person.',
  body: allocateException,
  bodyExample: { book: exampleId('book') },
  errors: ['resource_not_found', 'currency_mismatch', 'account_closed'],
  handle(request) {
    const { params, ifMatch, principal, body } = request;
    return runUseCase(request, requestAllocation, {
      ...askedBy(request),
      exceptionId: params.id!,
      ifMatch,
      ownerKind: principal.ownerKind,
      mode: principal.mode,
      toBookId: body.book,
      toAccountId: body.account,
    });
  },
});

export const allocationRoutes = routesSince('0.4.0', [allocate]);

/** Statements of an account, by whatever resource shows it. */
import { type ApiResource, findOne } from '../../../api/api-resource.ts';
import { type RouteAnswer, type RouteRequest, route } from '../../../api/route.ts';
import { ApiError } from '../../../errors/errors.ts';
import type { Account } from '../../../ledger/account/account.ts';
import { openStatement, sumStatement } from '../read-statement.ts';
import type { StatementDays } from '../statement.ts';
import { formOf, refuseForm, statementAnswer } from './statement-file.ts';
import { accountStatement, type StatementQuery, statementQuery } from './statement-schemas.ts';

interface Declared<Row> {
  readonly operation: string;
  readonly summary: string;
  accountOf(row: Row): Account;
  nameOf(row: Row): string | null;
}

export function statementRoute<Row>(
  resource: ApiResource<Row>,
  { operation, summary, accountOf, nameOf }: Declared<Row>,
) {
  return route({
    method: 'get',
    path: `${resource.path}/:id/statements`,
    operation,
    tag: resource.tag,
    summary,
    scope: resource.scopes.read,
    description:
      'Lines count by the day on which they were posted, so a statement of days that are over never changes, and equal requests give equal bytes while names and texts are equal. Of CSV, the headers `Statement-Lines`, `Statement-Opening`, `Statement-Closing` and `Statement-Digest` have what the file does not.',
    params: { id: resource.cursor },
    query: statementQuery,
    responses: {
      200: {
        description: 'From the first to the last day.',
        schema: accountStatement,
        files: ['text/csv', 'application/pdf', 'application/xml'],
      },
    },
    errors: ['parameter_missing'],
    handle: (request) => statementOfDays(resource, request, { accountOf, nameOf }),
  });
}

/** The statement of the days of a request. */
export async function statementOfDays<Row>(
  resource: ApiResource<Row>,
  request: RouteRequest<unknown, StatementQuery>,
  { accountOf, nameOf }: Pick<Declared<Row>, 'accountOf' | 'nameOf'>,
): Promise<RouteAnswer> {
  const { runtime, principal, query, requestId } = request;
  const row = await findOne(resource, request);
  const account = accountOf(row);
  const asked = { bookId: principal.bookId, accountId: account.id, accountName: nameOf(row), requestId };
  const head = await openStatement(runtime, { ...asked, ...daysOf(query) });
  const form = formOf(query);
  refuseForm(head, form);
  return statementAnswer(runtime, await sumStatement(runtime, head), form);
}

function daysOf({ from, to }: { readonly from?: string | undefined; readonly to?: string | undefined }): StatementDays {
  const missing = (['from', 'to'] as const).filter((name) => ({ from, to })[name] === undefined);
  const fieldErrors = missing.map((param) => ({
    code: 'parameter_missing' as const,
    param,
    detail: 'Required, and missing.',
  }));
  if (from === undefined || to === undefined)
    throw new ApiError('parameter_missing', { ...fieldErrors[0]!, fieldErrors });
  return { from, to };
}

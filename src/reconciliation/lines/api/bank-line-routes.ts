/** Lines of bank statements. */

import { z } from 'zod';
import { apiOf } from '../../../api/api-resource.ts';
import { oneOrMore } from '../../../api/pages.ts';
import { listRoute, readRoute } from '../../../api/read-routes.ts';
import { routesSince } from '../../../api/route.ts';
import { reference } from '../../../api/schemas/fields.ts';
import { withAllocations } from '../allocation-store.ts';
import { bankLineResource } from '../bank-line-resource.ts';
import { listBankLines } from '../bank-line-store.ts';
import * as schemas from './bank-line-schemas.ts';

export const bankLineApi = apiOf(bankLineResource, {
  path: '/v1/transactions/bank_lines',
  tag: 'Reconciliation',
  type: 'BankLine',
  names: { types: 'BankLines', one: 'a line of a bank statement', many: 'lines of bank statements' },
  schema: schemas.bankLine,
  scopes: { read: 'reconciliations:read' },
  complete: withAllocations,
});

const day = z.iso.date({ error: 'Expects a day, such as 2026-11-01.' }).optional();
const bookedOn = z
  .strictObject({
    gte: day.meta({ description: 'Booked on that day or later.', example: '2026-11-01' }),
    lte: day.meta({ description: 'Booked on that day or before.', example: '2026-11-30' }),
  })
  .optional();

const amountText = z
  .string()
  .regex(/^-?\d{1,16}$/, 'Expects a whole number of minor units.')
  .transform(BigInt)
  .optional();
const amount = z
  .strictObject({
    gte: amountText.meta({
      type: 'integer',
      format: 'int64',
      description: 'Of at least so much; money out is negative.',
    }),
    lte: amountText.meta({
      type: 'integer',
      format: 'int64',
      description: 'Of at most so much; money out is negative.',
    }),
  })
  .optional();

const referenceFilter = (description: string) => z.string().min(1).max(255).optional().meta({ description });

const list = listRoute(bankLineApi, {
  filters: {
    bank_account: reference('bankAccount', 'Lines of this account.').optional(),
    account: reference('account', "Lines that a book's own comparison has with this account.").optional(),
    status: oneOrMore(schemas.BANK_LINE_STATUSES, 'Lines in any of these states.'),
    booked_on: bookedOn,
    amount,
    bank_reference: referenceFilter("Lines with this reference of the bank's."),
    end_to_end_id: referenceFilter('Lines with this end-to-end id.'),
  },
  rows(db, { bookId, query, page }) {
    const one = (value: string | undefined) => (value === undefined ? undefined : [value]);
    const filter = {
      bankAccountIds: one(query.bank_account),
      comparedAccountIds: one(query.account),
      statuses: query.status,
      bookedOn: query.booked_on,
      amount: query.amount,
      bankReferences: one(query.bank_reference),
      endToEndIds: one(query.end_to_end_id),
    };
    return listBankLines(db, bookId, filter, page);
  },
});

/** Static paths: before those with an id of a transaction. */
export const bankLineRoutes = routesSince('0.4.0', [list, readRoute(bankLineApi)]);

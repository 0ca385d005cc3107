/** Schemas of acquirers' reports. */
import { z } from 'zod';
import * as shown from '../../../api/schemas/shown.ts';
import { ACQUIRER_REPORT_TRANSITIONS, type AcquirerReportStatus } from '../acquirer-report.ts';

export const ACQUIRER_REPORT_STATUSES = Object.keys(ACQUIRER_REPORT_TRANSITIONS) as readonly AcquirerReportStatus[];

const total = z
  .object({
    currency: shown.currencyShown,
    currency_exponent: shown.currencyExponent,
    gross: shown.money('What payers paid, less what went back to them; negative where more went back.'),
    cost: shown.money('What the acquirer keeps.'),
    net: shown.money('What the acquirer pays; negative where it takes.'),
    expected_item: shown.id('expectedItem', 'What a bank is to show of it. Null where nothing is paid.').nullable(),
  })
  .meta({ id: 'AcquirerReportTotal', description: 'What a report comes to in one currency.' });

export const acquirerReport = z
  .object({
    id: shown.id('acquirerReport'),
    object: z.literal('acquirer_report'),
    livemode: shown.livemode,
    status: shown.oneOf(ACQUIRER_REPORT_STATUSES, {
      description: '`posted` in the book of the operator, from its first bank account on.',
    }),
    acquirer: z.string().meta({ description: 'Whose it is.', example: 'acme' }),
    sha256: z.string().meta({ description: 'Of its bytes, in hexadecimal digits.' }),
    lines: shown.count('How many lines it has.'),
    totals: z.array(total).meta({ description: 'Of all books, by currency. Empty until it is posted.' }),
    journal_entries: shown.entries('One entry a currency.'),
    version: shown.version,
    created_at: shown.createdAt,
    updated_at: shown.updatedAt,
  })
  .meta({ id: 'AcquirerReport', description: 'What an acquirer states that it pays.' });

/** Schemas of accounts of the chart. */
import { z } from 'zod';
import { orAll, signedAmount } from '../../../api/schemas/amount.ts';
import { currency, externalId, freeText, metadata, name } from '../../../api/schemas/fields.ts';
import * as shown from '../../../api/schemas/shown.ts';
import { ACCOUNT_TYPES } from '../../../ledger/account/chart-names.ts';

/** A code stands in files of accountants' programs: no space, nothing that they would read as a formula. */
const CODE = /^[a-zA-Z0-9][a-zA-Z0-9_.:-]{0,63}$/;

/** A code of the organisation's own, as requests and filters name it. */
export const ownCode = freeText(
  64,
  'Yours, unique in its currency. Letters, digits, and `_ . : -` between them.',
).regex(CODE, { error: 'Expects a letter or digit, then up to 63 letters, digits, or characters of `_.:-`.' });

export const createChartAccount = z
  .strictObject({
    code: ownCode,
    name,
    type: z.enum(ACCOUNT_TYPES).meta({ description: 'What it is in a balance sheet or an income statement.' }),
    currency,
    floor: orAll(signedAmount, 'The least that it may have available. Without it, there is no limit.'),
    external_id: externalId.optional(),
    metadata: metadata.optional(),
  })
  .meta({ id: 'CreateChartAccount' });

export const createChartAccountExample = { code: 'rent', name: 'Rent', type: 'expense', currency: 'JOD' };

export const updateChartAccount = z
  .strictObject({
    name: name.optional(),
    status: z
      .enum(['open', 'archived'])
      .optional()
      .meta({ description: '`archived`: takes no further entries. Only while its balance is zero.' }),
  })
  .meta({
    id: 'UpdateChartAccount',
    description: 'What is left out stays as it is. Code, type and currency never change.',
  });

const balance = z
  .object({
    posted: shown.money('Booked, on the normal side.'),
    held: shown.money('Reserved for what is about to leave.'),
    available: shown.money('Posted less held.'),
  })
  .meta({ id: 'ChartAccountBalance', description: 'What stands on the account now.' });

export const chartAccount = z
  .object({
    id: shown.id('account'),
    object: z.literal('chart_account'),
    livemode: shown.livemode,
    code: z.string().meta({
      description:
        'Of an own account yours; of one of the system its place in the chart; `customer` for those of customers.',
      example: 'rent',
    }),
    name: z.string().nullable().meta({ description: 'For people. Of a customer null once it was erased.' }),
    type: shown.oneOf(ACCOUNT_TYPES, {
      description: "What it is in a balance sheet. Customers' accounts are liabilities.",
    }),
    normal_side: shown.oneOf(['debit', 'credit'], { description: 'The side on which its balance grows.' }),
    currency: shown.currencyShown,
    currency_exponent: shown.currencyExponent,
    origin: shown.oneOf(['system', 'customer', 'own'], {
      description:
        '`system`: moved by payouts, payments and cards alone. `customer`: one of /v1/accounts. `own`: made here.',
    }),
    party: z.string().nullable().meta({ description: 'The party that it is kept for; null where there is none.' }),
    manual_posting: z.boolean().meta({ description: 'Whether entries asked for by API may move it.' }),
    floor: shown.moneyOrNull('The least that it may have available; null for no limit.'),
    status: shown.oneOf(['open', 'archived'], { description: '`archived` takes no further entries.' }),
    balance,
    external_id: shown.externalIdShown,
    metadata: shown.metadataShown,
    allowed_actions: shown.noActions,
    version: shown.version,
    created_at: shown.createdAt.nullable().meta({ description: 'When it was made; null for one of the system.' }),
    updated_at: shown.updatedAt.nullable().meta({ description: 'When it last changed; null for one of the system.' }),
  })
  .meta({ id: 'ChartAccount', description: "An account of a book's chart, in one currency." });

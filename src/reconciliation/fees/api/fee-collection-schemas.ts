/** Schemas of collections of fees. */
import { z } from 'zod';
import * as shown from '../../../api/schemas/shown.ts';

export const feeCollection = z
  .object({
    id: shown.id('feeCollection'),
    object: z.literal('fee_collection'),
    livemode: shown.livemode,
    day: z.iso.date().meta({ description: 'The last day of the book whose fees it has.', example: '2026-11-03' }),
    currency: shown.currencyShown,
    currency_exponent: shown.currencyExponent,
    amount: shown.money('What the operator took; negative where it gave back more.'),
    tax: shown.money('The tax that the amount contains, with its sign.'),
    tax_percent: z.string().meta({ description: 'The percentage, as it was set on that day.', example: '16' }),
    journal_entries: shown.entries('The entry that moved it: due_operator → pool, or back.'),
    version: shown.version,
    created_at: shown.createdAt,
    updated_at: shown.updatedAt,
  })
  .meta({ id: 'FeeCollection', description: 'The fees of a day, which the operator took.' });

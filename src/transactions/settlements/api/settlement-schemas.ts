import { z } from 'zod';
import { currency } from '../../../api/schemas/fields.ts';
import * as shown from '../../../api/schemas/shown.ts';

export const schemeSettlement = z
  .object({
    id: shown.id('schemeSettlement'),
    object: z.literal('scheme_settlement'),
    livemode: shown.livemode,
    status: shown.oneOf(['completed'], { description: 'Settled in one step.' }),
    net: shown.money('Minor units: what is paid to the scheme. Below zero it is ours to receive.'),
    currency: shown.currencyShown,
    currency_exponent: shown.currencyExponent,
    lines: shown.count('How many movements it nets.'),
    journal_entries: shown.entries('The entry against the pool; none where the net is 0.'),
    request_id: shown.id('request'),
    version: shown.version,
    created_at: shown.createdAt,
    updated_at: shown.updatedAt,
  })
  .meta({ id: 'SchemeSettlement', description: 'What the scheme settles of what was cleared, net, in one currency.' });

export const schemeSettlementLine = z
  .object({
    sequence: shown.count('The number of the line on the account `scheme_settlement`.'),
    object: z.literal('scheme_settlement_line'),
    livemode: shown.livemode,
    type: z
      .string()
      .meta({ description: 'What was booked: `cleared`, `refunded`, `submitted` of a dispute.', example: 'cleared' }),
    amount: shown.money('Above zero it is owed to the scheme.'),
    currency: shown.currencyShown,
    currency_exponent: shown.currencyExponent,
    transaction: shown.id('transaction'),
    network_reference: z.string().meta({ description: 'Of the transaction.' }),
    event: shown.id('transactionMessage', 'The message that was booked.').nullable(),
    dispute: shown.id('transactionDispute', 'The dispute that was booked.').nullable(),
    interchange: shown.moneyOrNull('As the clearing says: a fact of the line.'),
    journal_entry: shown.id('entry'),
    posted_at: shown.time('When it was booked.'),
  })
  .meta({ id: 'SchemeSettlementLine', description: 'What one posting has moved.' });

export const simulateSettlement = z
  .strictObject({ currency: currency.optional().meta({ description: 'Without it, every currency.', example: 'USD' }) })
  .meta({ id: 'SimulateSchemeSettlement' });

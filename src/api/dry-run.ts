/** `?dry_run=true` (API.md §1): same checks and same answer; nothing is written, no key is used. */
import { z } from 'zod';
import * as shown from './schemas/shown.ts';

/** The query of a route that moves money. */
export const dryRunQuery = z.strictObject({
  dry_run: z
    .enum(['true', 'false'])
    .optional()
    .transform((text) => text === 'true')
    .meta({ type: 'boolean', description: 'Same checks, nothing written, no key used. Without it, `false`.' }),
});

/** Marks the answer to a dry run. */
export const dryRunMember = shown
  .onlyTrue('Only in the answer to a dry run: nothing was written, and no key was used.')
  .optional();

const resultingBalance = z
  .object({
    account: shown.id('account'),
    available: shown.money('What the account would have available.'),
    currency: shown.currencyShown,
    currency_exponent: shown.currencyExponent,
  })
  .meta({ id: 'ResultingBalance', description: 'What a dry run would leave an account.' });

/** Of what takes money from accounts. */
export const resultingBalancesMember = z
  .array(resultingBalance)
  .optional()
  .meta({ description: 'Only in the answer to a dry run: what the accounts would have available.' });

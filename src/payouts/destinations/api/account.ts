import { z } from 'zod';
import { reference } from '../../../api/schemas/fields.ts';
import * as shown from '../../../api/schemas/shown.ts';

export const accountRequest = z
  .strictObject({
    type: z.literal('account'),
    account: reference('account', 'An account of the same book and currency.'),
  })
  .meta({ id: 'AccountDestinationInput', description: 'Book transfer: instant, within the book.' });

export const accountShown = z
  .object({ type: z.literal('account'), account: shown.id('account', 'The account that gets the money.') })
  .meta({ id: 'AccountDestination', description: 'An account of the same book.' });

import { z } from 'zod';
import type { CardSource } from '../../sources/card.ts';
import { cardMembers } from '../card-schema.ts';

export const cardSource = z
  .strictObject({ type: z.literal('card'), ...cardMembers })
  .transform(
    ({ type, number, exp_month: expMonth, exp_year: expYear, cvc = null, name = null }): CardSource => ({
      type,
      card: { number, expMonth, expYear, cvc, name },
    }),
  )
  .meta({ id: 'CardSource', description: 'A card by its number; in test mode one of the published test numbers.' });

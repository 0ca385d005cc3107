import { z } from 'zod';
import type { CardSource } from '../../sources/card.ts';
import { cardMembers, cardOf } from '../card-schema.ts';

export const cardSource = z
  .strictObject({ type: z.literal('card'), ...cardMembers })
  .transform(
    ({ type, ...card }): CardSource => ({ type, card: cardOf(card) }),
  )
  .meta({ id: 'CardSource', description: 'A card by its number; in test mode one of the published test numbers.' });

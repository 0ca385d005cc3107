import { z } from 'zod';
import { cardMembers, cardOf } from '../../payment/api/card-schema.ts';
import type { CardSource } from '../card.ts';

export const cardRequest = z
  .strictObject({ type: z.literal('card'), ...cardMembers })
  .meta({ id: 'CardSource', description: 'A card by its number; in test mode one of the published test numbers.' });

export function cardSourceOf({ type, ...card }: z.output<typeof cardRequest>): CardSource {
  return { type, card: cardOf(card) };
}

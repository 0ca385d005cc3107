import { z } from 'zod';
import type { CardSource } from '../../sources/card.ts';
import { cardMembers } from '../card-schema.ts';

export const cardRequest = z
  .strictObject({ type: z.literal('card'), ...cardMembers })
  .meta({ id: 'CardSource', description: 'A card by its number; in test mode one of the published test numbers.' });

export function cardSourceOf({ type, number, ...card }: z.output<typeof cardRequest>): CardSource {
  const { exp_month: expMonth, exp_year: expYear, cvc = null, name = null } = card;
  return { type, card: { number, expMonth, expYear, cvc, name } };
}

import { z } from 'zod';
import { exampleId } from '../../../api/schemas/fields.ts';
import { idPattern } from '../../../values/ids.ts';
import { CARD_KINDS, parseCard } from '../card.ts';

const PATTERN = CARD_KINDS.map((kind) => `(${idPattern(kind)})`).join('|');
const EXAMPLE = exampleId('paymentToken');

export const cardRequest = z
  .strictObject({
    type: z.literal('card'),
    card: z
      .string()
      .refine(
        (text) => parseCard(text) !== undefined,
        `Expects the id of a token of payments or of a card, such as ${EXAMPLE}. A card number is never taken here.`,
      )
      .meta({
        pattern: PATTERN,
        description:
          'A token of payments (`tok_…`), which a one-time one is used up by, or a card of the book (`card_…`). In test mode the number behind the token decides: `…0002` fails with `refused_by_payee`, `…9979` with `payee_account_blocked`, `…0069` with `payee_account_closed`; `…0705` is unknown at first and paid on inquiry, `…0713` is never received, `…5126` is paid and returned.',
        example: EXAMPLE,
      }),
  })
  .meta({ id: 'CardDestinationInput', description: 'Push to card.' });

export const cardShown = z
  .object({
    type: z.literal('card'),
    card: z.string().meta({ description: 'The token or the card, as it was asked for.', example: EXAMPLE }),
    brand: z.string().meta({ description: 'The network of the card.', example: 'visa' }),
    last_four: z.string().meta({ description: 'Of the number.', example: '4242' }),
  })
  .meta({ id: 'CardDestination', description: 'A card.' });

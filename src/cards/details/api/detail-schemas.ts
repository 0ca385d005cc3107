/** Schemas of what is shown of a card, and of who saw it. No answer with a number is stored. */
import { z } from 'zod';
import * as shown from '../../../api/schemas/shown.ts';
import { actor } from '../../../api/schemas/timeline.ts';

export const cardDetails = z
  .object({
    object: z.literal('card_details'),
    livemode: shown.livemode,
    card: shown.id('card', 'Of this card.'),
    number: z.string().nullable().meta({ description: 'In test mode. Null where the processor shows it.' }),
    cvc: z.string().nullable().meta({ description: 'In test mode. Null where the processor shows it.' }),
    exp_month: z.number().int().nullable().meta({ description: 'Beside the number.' }),
    exp_year: z.number().int().nullable().meta({ description: 'Beside the number.' }),
    url: z.string().nullable().meta({ description: 'In live mode: a page of the processor that shows it once.' }),
    expires_at: shown.time('Until when the page may be opened.').nullable(),
  })
  .meta({ id: 'CardDetails', description: 'The number and security code of a card, or where they are shown once.' });

export const cardPin = z
  .object({
    object: z.literal('card_pin'),
    livemode: shown.livemode,
    card: shown.id('card', 'Of this card.'),
    url: z.string().meta({ description: 'A page of the processor that shows it once.' }),
    expires_at: shown.time('Until when the page may be opened.'),
  })
  .meta({ id: 'CardPin', description: 'Where the PIN of a card is shown once.' });

export const detailAccess = z
  .object({
    id: shown.id('request', 'The request that asked.'),
    object: z.literal('card_detail_access'),
    what: shown.oneOf(['details', 'pin'], { description: 'What was asked to be shown.' }),
    actor,
    address: z.string().meta({ description: 'The address that asked.', example: '203.0.113.7' }),
    created_at: shown.time('When. By the time of the world.'),
  })
  .meta({ id: 'CardDetailAccess', description: 'Somebody asked to see a card. Written before anything is shown.' });

/** Schemas of events. Webhooks and GET /v1/events show the same bytes. */
import { z } from 'zod';
import { eventEntry } from './journal.ts';
import * as shown from './shown.ts';

/** An event of one of these types, with an object of one kind. Its data are named by the event's own name. */
export function eventOf(objectSchema: z.ZodType, types: readonly string[], schemaName: string) {
  return z.object({
    id: shown.id('event'),
    object: z.literal('event'),
    type: z.enum(types as [string, ...string[]]).meta({ description: 'What happened.', example: types[0] }),
    sequence: shown.count('Gapless within the book.'),
    object_sequence: shown.count(
      'The version of the object: the higher one is newer. Versions without an event leave gaps.',
    ),
    created_at: shown.time("When it happened, in the book's own time."),
    livemode: shown.livemode,
    request_id: shown.id('request', 'The request that it began with.'),
    data: z
      .object({
        object: objectSchema,
        previous_attributes: z.record(z.string(), z.unknown()).meta({
          description: 'Every attribute that changed, with its value before, but for `version` and `updated_at`.',
        }),
      })
      .meta({ id: `${schemaName}Data`, description: 'The object, and what of it changed.' }),
    journal_entries: z.array(eventEntry).meta({
      description:
        'What was booked, posting by posting: balances can be rebuilt from events alone. Several events may tell of one entry, such as those of a payout and of the account that it arrives on: count an entry once, by its `id`.',
    }),
  });
}

/** The object of an event of any kind: its own schema is that of its `object`. */
export const anyObject = z
  .looseObject({
    id: z.string().meta({ description: 'The id of the object.', example: 'po_01k5c2r3v8e9m0x6y7z4a1b2cd' }),
    object: z.string().meta({ description: 'What it is.', example: 'payout' }),
  })
  .meta({ description: 'The object after the event, in the form in which its own operations show it.' });

/** The object of `personal_data.erased`. Generic: any kind of object that may have personal text. */
export const erasedObject = z
  .object({
    id: z.string().meta({ description: 'The object whose personal text was erased.' }),
    object: z.string().meta({ description: 'What the object is.', example: 'payout' }),
    livemode: shown.livemode,
    fields: z.array(z.string()).meta({ description: 'Its members with text that are null from now on.' }),
  })
  .meta({ id: 'ErasedObject', description: 'What was erased of an object.' });

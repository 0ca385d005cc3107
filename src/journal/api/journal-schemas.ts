/** Schemas of the journal of a book. */
import { z } from 'zod';
import * as shown from '../../api/schemas/shown.ts';
import { isTimeZone } from '../../calendar/day.ts';

const timeZoneText =
  'As the IANA database names it. Days of the book begin and end by it. UTC until it is set; the first entry fixes it.';

export const journal = z
  .object({
    id: shown.id('book', 'The id of the book.'),
    object: z.literal('journal'),
    livemode: shown.livemode,
    time_zone: z.string().meta({ description: timeZoneText, example: 'Asia/Amman' }),
    closed_through: shown.day('The last day that is closed; null while every day is open.').nullable(),
    through_sequence: shown.count('The number of the last entry; 0 without one.'),
    chain_hash: z.string().meta({ description: 'The hash of the last entry, which covers all before it.' }),
    last_posted_at: shown.time(
      "Up to when the journal is complete, in the book's own time: no further entry is dated before it.",
    ),
  })
  .meta({ id: 'Journal', description: 'The journal of the book: its time zone, how far it is closed, and its head.' });

export const updateJournal = z
  .strictObject({
    time_zone: z
      .string()
      .max(64)
      .refine(isTimeZone, { error: 'Expects a time zone as the IANA database names it, such as Asia/Amman.' })
      .meta({ description: timeZoneText, example: 'Asia/Amman' }),
  })
  .meta({ id: 'UpdateJournal' });

import { z } from 'zod';
import * as shown from '../../../api/schemas/shown.ts';

export const bookMirror = z
  .object({
    id: shown.id('bookMirror'),
    object: z.literal('book_mirror'),
    livemode: shown.livemode,
    status: shown.oneOf(['posted'], { description: 'Booked in one step.' }),
    book: shown.id('book', 'Whose pool it is.'),
    currency: shown.currencyShown,
    currency_exponent: shown.currencyExponent,
    from_line: shown.count('The first of the lines, by its number on the pool account of the book.'),
    through_line: shown.count('The last of the lines.'),
    day: shown.day("The day on which the lines were posted, in the operator's time zone."),
    money_in: shown.money('What the lines brought to the pool.'),
    money_out: shown.money('What the lines took from the pool.'),
    pool_balance: shown.money('Of the pool behind the last line; this much is owed to the book.'),
    expected_items: shown.count('How many of the lines a bank will show.'),
    journal_entries: shown.entries("The entry in the operator's book."),
    request_id: shown.id('request'),
    version: shown.version,
    created_at: shown.createdAt,
    updated_at: shown.updatedAt,
  })
  .meta({
    id: 'BookMirror',
    description: "Lines of a book's pool, of one day, as the operator's book has booked them by one entry.",
  });

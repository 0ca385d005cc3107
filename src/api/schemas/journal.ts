/** Schemas of the ledger: entries, postings, the lines of an account. */
import { z } from 'zod';
import * as shown from './shown.ts';

const side = z
  .object({
    account: shown.id('account'),
    code: z.string().meta({ description: 'What the account is in the chart of the book.', example: 'customer' }),
    sequence: shown.count('The gapless line number of the account.'),
    balance_after: shown.money('Posted balance after this line, in the direction of the account.'),
  })
  .meta({ id: 'PostingSide', description: 'One of the two accounts of a posting, with its line.' });

const amount = shown.money("What moves, in the currency's smallest unit.");

const posting = z
  .object({
    debit: side,
    credit: side,
    amount,
    currency: shown.currencyShown,
    currency_exponent: shown.currencyExponent,
  })
  .meta({ id: 'Posting', description: 'One positive amount from one account to another: debit, credit.' });

export const journalEntry = z
  .object({
    id: shown.id('entry'),
    object: z.literal('journal_entry'),
    sequence: shown.count('Gapless within the book.'),
    resource: z.string().meta({ description: 'What it is a step of.', example: 'payout' }),
    resource_id: z.string().meta({ description: 'The id of that.', example: 'po_01k5c2r3v8e9m0x6y7z4a1b2cd' }),
    step: z.string().meta({ description: 'Which step; each is booked at most once.', example: 'paid' }),
    posted_at: shown.time("When it was booked, in the book's own time."),
    effective_at: shown.time('When it counts.'),
    request_id: shown.id('request', 'The request that it began with.'),
    floor_overridden: z
      .boolean()
      .meta({ description: 'Booked although it took an available balance below its floor.' }),
    hash: z.string().meta({ description: 'SHA-256 over the hash before it and every column of its own.' }),
    postings: z.array(posting).meta({ description: 'What moved: one posting for each pair of accounts.' }),
  })
  .meta({ id: 'JournalEntry' });

/** A line of an account: its side of a posting. */
export const accountEntry = z
  .object({
    object: z.literal('account_entry'),
    sequence: shown.count('The gapless line number of the account; it is the cursor of this list.'),
    direction: shown.oneOf(['debit', 'credit'], {
      description: 'Which side of the posting it is. A credit adds to what the account holds, a debit takes from it.',
    }),
    amount,
    currency: shown.currencyShown,
    currency_exponent: shown.currencyExponent,
    balance_after: shown.money('Posted balance after this line, in the direction of the account.'),
    counter_account: shown.id('account', 'The account on the other side of the posting.'),
    journal_entry: shown.id('entry', 'The entry that the posting is of.'),
    resource: z.string().meta({ description: 'What the entry is a step of.', example: 'payout' }),
    resource_id: z.string().meta({ description: 'The id of that.', example: 'po_01k5c2r3v8e9m0x6y7z4a1b2cd' }),
    step: z.string().meta({ description: 'Which step of it.', example: 'paid' }),
    posted_at: shown.time("When it was booked, in the book's own time."),
    effective_at: shown.time('When it counts.'),
  })
  .meta({ id: 'AccountEntry' });

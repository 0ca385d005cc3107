/** Schemas of the ledger: entries, postings, the lines of an account. */
import { z } from 'zod';
import * as shown from './shown.ts';

const side = z.object({
  account: shown.id('account'),
  code: z.string().meta({ description: 'What the account is in the chart of the book.', example: 'customer' }),
  sequence: shown.count('The gapless line number of the account.'),
  balance_after: shown.money('Posted balance after this line, in the direction of the account.'),
});

const posting = z
  .object({
    debit: side,
    credit: side,
    amount: shown.money(),
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
    resource_id: z.string(),
    step: z.string().meta({ description: 'Which step; each is booked at most once.', example: 'paid' }),
    posted_at: shown.time('When it was booked.'),
    effective_at: shown.time('When it counts.'),
    request_id: shown.id('request'),
    floor_overridden: z
      .boolean()
      .meta({ description: 'Booked although it took an available balance below its floor.' }),
    hash: z.string().meta({ description: 'SHA-256 over the hash before it and every column of its own.' }),
    postings: z.array(posting),
  })
  .meta({ id: 'JournalEntry' });

/** A line of an account: its side of a posting. */
export const accountEntry = z
  .object({
    object: z.literal('account_entry'),
    sequence: shown.count('The gapless line number of the account; it is the cursor of this list.'),
    direction: z.enum(['debit', 'credit']),
    amount: shown.money(),
    currency: shown.currencyShown,
    currency_exponent: shown.currencyExponent,
    balance_after: shown.money('Posted balance after this line, in the direction of the account.'),
    counter_account: shown.id('account'),
    journal_entry: shown.id('entry'),
    resource: z.string(),
    resource_id: z.string(),
    step: z.string(),
    posted_at: shown.time(),
    effective_at: shown.time(),
  })
  .meta({ id: 'AccountEntry' });

/** Schemas of the ledger: entries, postings, the lines of an account. */
import { z } from 'zod';
import { dryRunMember, resultingBalancesMember } from '../dry-run.ts';
import * as shown from './shown.ts';
import { actor } from './timeline.ts';

const side = z
  .object({
    account: shown.id('account'),
    code: z.string().meta({ description: 'What the account is in the chart of the book.', example: 'customer' }),
    sequence: shown.count('The gapless line number of the account.'),
    balance_after: shown.money('Posted balance after this line, in the direction of the account.'),
  })
  .meta({ id: 'PostingSide', description: 'One of the two accounts of a posting, with its line.' });

const OCCURRED_ON =
  'When it happened, where that day was closed already, so that it takes effect on the first open day, or was still to come in the time of the book.';

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

const inEvents = {
  id: shown.id('entry'),
  object: z.literal('journal_entry'),
  sequence: shown.count('Gapless within the book.'),
  resource: z.string().meta({ description: 'What it is a step of.', example: 'payout' }),
  resource_id: z.string().meta({ description: 'The id of that.', example: 'po_01k5c2r3v8e9m0x6y7z4a1b2cd' }),
  step: z.string().meta({ description: 'Which step; each is booked at most once.', example: 'paid' }),
  posted_at: shown.time("When it was booked, in the book's own time."),
  effective_at: shown.time('When it counts.'),
  request_id: shown.id('request', 'The request that it began with.'),
  floor_overridden: z.boolean().meta({ description: 'Booked although it took an available balance below its floor.' }),
  hash: z.string().meta({ description: 'SHA-256 over the hash before it and every column of its own.' }),
  postings: z.array(posting).meta({ description: 'What moved: one posting for each pair of accounts.' }),
};

/** As events carry it. */
export const eventEntry = z
  .object(inEvents)
  .meta({ id: 'EventEntry', description: 'An entry as events carry it: its postings, and what they are a step of.' });

/** As the routes of the journal show it. */
export const journalEntry = z
  .object({
    ...inEvents,
    livemode: shown.livemode,
    origin: shown.oneOf(['system', 'manual'], {
      description: '`system`: booked by a payout, a payment, a card or the like. `manual`: asked for here.',
    }),
    actor: shown.orNull(actor).meta({ description: 'Who asked for it; null for what the system booked.' }),
    occurred_on: shown.day(OCCURRED_ON).nullable(),
    description: shown.descriptionShown,
    external_id: shown.externalIdShown,
    metadata: shown.metadataShown,
    reverses: shown.id('entry', 'The entry that it takes back.').nullable(),
    reversed_by: shown.id('entry', 'The entry that has taken it back.').nullable(),
    dry_run: dryRunMember,
    resulting_balances: resultingBalancesMember,
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
    kind: z.string().meta({
      description: 'What it is: the name of the resource, with `_fee` where it is a fee that goes to the operator.',
      example: 'payout_fee',
    }),
    counter_account: shown.id('account', 'The account on the other side of the posting.'),
    journal_entry: shown.id('entry', 'The entry that the posting is of.'),
    resource: z.string().meta({ description: 'What the entry is a step of.', example: 'payout' }),
    resource_id: z.string().meta({ description: 'The id of that.', example: 'po_01k5c2r3v8e9m0x6y7z4a1b2cd' }),
    step: z.string().meta({ description: 'Which step of it.', example: 'paid' }),
    external_id: shown.externalIdShown.meta({ description: 'Your reference of the resource; null where it has none.' }),
    end_to_end_id: shownOrNull('What names it at the rail; null where nothing does.', 'E2E1K5C2R3V8E9M0X6Y7Z4A1B2CD'),
    counterparty: shownOrNull(
      'Who is on the other side, masked where it is a person; null where nobody is known.',
      'S*** B***',
    ),
    description: shown.descriptionShown,
    posted_at: shown.time("When it was booked, in the book's own time."),
    effective_at: shown.time('When it counts.'),
    effective_on: shown.day("The day on which it counts, in the book's time zone."),
    occurred_on: shown.day(OCCURRED_ON).nullable(),
  })
  .meta({ id: 'AccountEntry' });

function shownOrNull(description: string, example: string) {
  return z.string().nullable().meta({ description, example });
}

/** Schemas of requests for entries. */
import { z } from 'zod';
import { dryRunMember, resultingBalancesMember } from '../../../api/dry-run.ts';
import { orAll, positiveAmount, sequence, signedAmount } from '../../../api/schemas/amount.ts';
import { currency, day, description, exampleId, externalId, metadata, reference } from '../../../api/schemas/fields.ts';
import { journalEntry } from '../../../api/schemas/journal.ts';
import { BATCH_ENTRIES_MAX, BATCH_POSTINGS_MAX, EXPECTATIONS_MAX, POSTINGS_MAX } from '../manual-entry.ts';

/** A posting joins two accounts: its example is not of one. */
const OTHER_ACCOUNT = 'acct_01k5c2r3v8e9m0x6y7z4a1b2ce';

const posting = z
  .strictObject({
    debit: reference('account', 'The account that is debited: what leaves a customer.'),
    credit: reference('account', 'The account that is credited: what a customer receives.').meta({
      example: OTHER_ACCOUNT,
    }),
    amount: positiveAmount,
    currency,
    hold: reference(
      'hold',
      'An open hold that was placed on the debited account: the amount is taken from it, at most what remains.',
    ).optional(),
  })
  .check(({ value, issues }) => {
    if (value.debit === value.credit)
      issues.push({
        code: 'custom',
        input: value,
        path: ['credit'],
        message: 'Expects another account than the debited one.',
      });
  })
  .meta({ id: 'CreatePosting' });

const expectation = z
  .strictObject({
    account: reference('account', 'The account of which something is expected.'),
    sequence: orAll(sequence, 'The number of its last line; 0 where it has none. Without it, any.'),
    available_gte: orAll(signedAmount, 'The least that it has available. Without it, however much.'),
  })
  .meta({ id: 'Expectation' });

const members = {
  postings: z.array(posting).min(1).max(POSTINGS_MAX).meta({
    description: 'Booked in this order, and no account may be below its floor after any of them.',
  }),
  effective_on: day.optional().meta({
    description:
      "The day on which it takes effect, in the book's time zone: today or before, and not closed. Without it, today.",
  }),
  description: description.optional(),
  external_id: externalId.optional(),
  metadata: metadata.optional(),
  expect: z.array(expectation).max(EXPECTATIONS_MAX).optional().meta({
    description: 'Looked at before anything is booked. Where an account is otherwise, nothing is.',
  }),
};

export const createEntry = z.strictObject(members).meta({ id: 'CreateJournalEntry' });

export const createEntryExample = {
  postings: [
    {
      debit: exampleId('account'),
      credit: OTHER_ACCOUNT,
      amount: 5_124,
      currency: 'JOD',
    },
  ],
  effective_on: '2026-03-01',
  description: 'Rent for March',
  external_id: 'rent-2026-03',
};

export const createBatch = z
  .strictObject({
    entries: z
      .array(z.strictObject(members))
      .min(1)
      .max(BATCH_ENTRIES_MAX)
      .check(({ value, issues }) => {
        const postings = value.reduce((sum, entry) => sum + entry.postings.length, 0);
        if (postings > BATCH_POSTINGS_MAX)
          issues.push({
            code: 'custom',
            input: value,
            message: `Expects at most ${BATCH_POSTINGS_MAX} postings in all; there are ${postings}.`,
          });
      })
      .meta({ description: `Booked in this order, all or none: up to ${BATCH_POSTINGS_MAX} postings in all.` }),
  })
  .meta({ id: 'CreateJournalEntryBatch' });

export const createBatchExample = { entries: [createEntryExample] };

export const reverseEntry = z
  .strictObject({
    effective_on: day.optional().meta({
      description: 'The day on which the reversal takes effect: today or before, and not closed. Without it, today.',
    }),
    description: description.optional(),
  })
  .meta({ id: 'ReverseJournalEntry' });

export const postedBatch = z
  .object({
    object: z.literal('journal_entry_batch'),
    entries: z.array(journalEntry).meta({ description: 'In the order of the request.' }),
    dry_run: dryRunMember,
    resulting_balances: resultingBalancesMember,
  })
  .meta({ id: 'JournalEntryBatch', description: 'Entries that were booked together.' });

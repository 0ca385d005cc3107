/** Schemas of lines of bank statements. */
import { z } from 'zod';
import * as shown from '../../../api/schemas/shown.ts';
import { BANK_LINE_TRANSITIONS, type BankLineStatus } from '../bank-line.ts';

export const BANK_LINE_STATUSES = Object.keys(BANK_LINE_TRANSITIONS) as readonly BankLineStatus[];

const batch = z
  .object({
    id: z.string().nullable().meta({ description: 'As the bank names it.' }),
    transactions: z.number().int().nullable().meta({ description: 'How many movements it has.' }),
  })
  .meta({ id: 'BankLineBatch', description: 'Several movements that the bank booked as one.' });

const counterparty = z
  .object({
    name: shown.nameShown,
    account: z
      .string()
      .nullable()
      .meta({ description: 'The last four characters. Null where the bank does not state.' }),
  })
  .meta({ id: 'BankLineCounterparty', description: 'Who paid, or was paid.' });

const charge = z
  .object({
    amount: shown.money('Positive where the bank takes it.'),
    currency: shown.currencyShown,
    included: z.boolean().nullable().meta({ description: 'Whether the amount of the line contains it.' }),
  })
  .meta({ id: 'BankLineCharge', description: 'What the bank states it charged.' });

const original = z
  .object({
    amount: shown.money('What was ordered.'),
    currency: shown.currencyShown,
    rate: z.string().nullable().meta({ description: 'As the bank writes it.', example: '1.0870' }),
  })
  .meta({ id: 'BankLineOriginal', description: 'What was ordered in another currency.' });

const allocation = z
  .object({
    book: shown.id('book', 'The book that has it.'),
    account: shown.id('account', 'The account of that book. Null until its persons have named one.').nullable(),
    inbound_transfer: shown
      .id('inboundTransfer', 'The transfer that it is there. Null where persons have moved it.')
      .nullable(),
  })
  .meta({ id: 'BankLineAllocation', description: 'For whom money is that arrived.' });

const text = (description: string) => z.string().nullable().meta({ description });

export const bankLine = z
  .object({
    id: shown.id('bankLine'),
    object: z.literal('bank_line'),
    livemode: shown.livemode,
    status: shown.oneOf(BANK_LINE_STATUSES, {
      description:
        '`pending` until its statement is posted, then `open` until matches explain it. `open` at once where it is compared with an account.',
    }),
    bank_statement: shown.id('bankStatement', 'The statement that it stands in.'),
    bank_account: shown.id('bankAccount', "The account that it moved. Null in a book's own comparison.").nullable(),
    account: shown
      .id(
        'account',
        "Of a book's own comparison: the account whose lines it is compared with. Null in the operator's books.",
      )
      .nullable(),
    place: shown.count('Counts from 1 in its statement; 0 is a difference that two persons accepted.'),
    row: shown.count('The line of the file.'),
    booked_on: z.iso.date().meta({ description: 'When the bank booked it.' }),
    value_on: z.iso.date().nullable().meta({ description: 'From when it counts. Null where the bank does not state.' }),
    amount: shown.money('Money in is positive, money out negative.'),
    amount_open: shown.money('What no match explains yet, with the sign of the amount.'),
    currency: shown.currencyShown,
    currency_exponent: shown.currencyExponent,
    bank_reference: text("The bank's own reference of the movement."),
    end_to_end_id: text('The reference that travelled with the payment.'),
    references: z.array(z.string()).meta({ description: 'Further references of the line.' }),
    batch: shown.orNull(batch).meta({ description: 'Null for a single movement.' }),
    counterparty,
    text: text('What the bank or the payer wrote. Null once it was erased.'),
    code: text('What kind of movement it is, as the bank codes it.'),
    charges: z.array(charge).meta({ description: 'What the bank charged.' }),
    original: shown.orNull(original).meta({ description: 'Null where nothing was exchanged.' }),
    reversal: z.boolean().meta({ description: 'Whether the bank calls it a reversal.' }),
    allocation: shown
      .orNull(allocation)
      .meta({ description: 'Null for what is no customer’s money, or nobody’s yet.' }),
    matches: z.array(shown.id('bankMatch')).meta({ description: 'The confirmed matches that explain it.' }),
    exception: shown
      .id('exception', 'The last one about it, or about its statement. Null where there was none.')
      .nullable(),
    journal_entries: shown.entries(
      "The entry that it is posted by: one a day, with other lines. None in a book's own comparison.",
    ),
    created_at: shown.createdAt,
  })
  .meta({ id: 'BankLine', description: 'One movement that a bank booked.' });

/** Schemas of expected items. */
import { z } from 'zod';
import * as shown from '../../../api/schemas/shown.ts';
import type { ExpectedItemStatus } from '../expected-item.ts';

export const EXPECTED_ITEM_STATUSES: readonly ExpectedItemStatus[] = ['open', 'partly_matched', 'matched'];
const DIRECTIONS = ['in', 'out'] as const;

export const expectedItem = z
  .object({
    id: shown.id('expectedItem'),
    object: z.literal('expected_item'),
    livemode: shown.livemode,
    status: shown.oneOf(EXPECTED_ITEM_STATUSES, {
      description: '`open` until lines of bank statements show it, all of it or a part.',
    }),
    party: z
      .string()
      .nullable()
      .meta({ description: 'The rail or acquirer that pays or takes it at the bank. Null: whoever pays in.' }),
    bank_account: shown
      .id('bankAccount', 'The bank account that has shown it, or at whose opening it was closed. Null before.')
      .nullable(),
    account: shown
      .id('account', "Of a book's own comparison: the account whose line it is. Null in the operator's books.")
      .nullable(),
    direction: shown.oneOf(DIRECTIONS, { description: 'As the bank will show it: `in` is a credit.' }),
    amount: shown.money('Always positive.'),
    amount_open: shown.money('What no line has shown yet.'),
    currency: shown.currencyShown,
    currency_exponent: shown.currencyExponent,
    expected_on: z.iso.date().meta({ description: "When a bank will show it, in the operator's time zone." }),
    book: shown.id('book', 'The book whose money it is. Of a report, which is of several, the one of the operator.'),
    resource: z
      .string()
      .meta({ description: 'What moved the money: a payout, a return, a report.', example: 'payout' }),
    resource_id: z.string().meta({ description: 'Its id.' }),
    references: z
      .array(z.string())
      .meta({ description: 'What a line may name it by: ours, that of the party, that of the document.' }),
    batch: z
      .string()
      .nullable()
      .meta({ description: 'The file by which the party was asked, with others. Null: none.' }),
    exception: shown.id('exception', 'The one about its being overdue. Null where there was none.').nullable(),
    journal_entries: shown.entries('The entry that put it on its clearing account.'),
    created_at: shown.createdAt,
  })
  .meta({ id: 'ExpectedItem', description: 'A movement that a bank is to show.' });

/** What the columns of a bank's CSV are, as profiles and what is proposed instead of one show them. */
import { z } from 'zod';

export const COLUMN_IS = {
  booked_on: 'The day on which it was booked.',
  value_on: 'The day from which it bears interest.',
  amount: 'The amount, with its own sign or beside `sign`. Else `debit` and `credit`.',
  sign: 'Whether `amount` is money in or out, in a word: D and C, S and H, and their like.',
  debit: 'Money out.',
  credit: 'Money in.',
  currency: 'The currency. Without it, that of the account.',
  balance: 'What stands on the account behind the line. With it, a file is held where lines are missing.',
  reference: "The bank's reference.",
  end_to_end_id: 'The end-to-end id.',
  counterparty: 'Who paid or was paid.',
  text: 'What is said about it, joined in this order.',
} as const;

const heading = (description: string) => z.string().optional().meta({ description });

export const csvColumns = z
  .object({
    booked_on: z.string().meta({ description: COLUMN_IS.booked_on }),
    value_on: heading(COLUMN_IS.value_on),
    amount: heading(COLUMN_IS.amount),
    sign: heading(COLUMN_IS.sign),
    debit: heading(COLUMN_IS.debit),
    credit: heading(COLUMN_IS.credit),
    currency: heading(COLUMN_IS.currency),
    balance: heading(COLUMN_IS.balance),
    reference: heading(COLUMN_IS.reference),
    end_to_end_id: heading(COLUMN_IS.end_to_end_id),
    counterparty: heading(COLUMN_IS.counterparty),
    text: z.array(z.string()).meta({ description: COLUMN_IS.text }),
  })
  .meta({ id: 'CsvColumns', description: 'Headings of columns, as the header has them.' });

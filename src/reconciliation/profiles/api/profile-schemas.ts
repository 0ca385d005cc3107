/** Schemas of profiles of CSV files. */
import { z } from 'zod';
import { COLUMN_IS, csvColumns } from '../../../api/schemas/csv-columns.ts';
import { freeText, TEXT_LIMITS } from '../../../api/schemas/fields.ts';
import * as shown from '../../../api/schemas/shown.ts';
import { DATE_FORMATS } from '../../reading/csv-days.ts';
import { DECIMALS, DELIMITERS, ENCODINGS, GROUPS } from '../../reading/read-csv.ts';

const SKIP_MAX = 100;
const TEXTS_MAX = 20;

const heading = (description: string) => freeText(TEXT_LIMITS.name, description);
const columnsExample = { booked_on: 'Buchungstag', amount: 'Betrag', balance: 'Saldo', text: ['Verwendungszweck'] };

const columns = z
  .strictObject({
    booked_on: heading(COLUMN_IS.booked_on),
    value_on: heading(COLUMN_IS.value_on).optional(),
    amount: heading(COLUMN_IS.amount).optional(),
    sign: heading(COLUMN_IS.sign).optional(),
    debit: heading(COLUMN_IS.debit).optional(),
    credit: heading(COLUMN_IS.credit).optional(),
    currency: heading(COLUMN_IS.currency).optional(),
    balance: heading(COLUMN_IS.balance).optional(),
    reference: heading(COLUMN_IS.reference).optional(),
    end_to_end_id: heading(COLUMN_IS.end_to_end_id).optional(),
    counterparty: heading(COLUMN_IS.counterparty).optional(),
    text: z
      .array(heading('A column.'))
      .max(TEXTS_MAX, `Expects at most ${TEXTS_MAX} columns.`)
      .meta({ description: COLUMN_IS.text }),
  })
  .check(({ value: { amount, sign, debit, credit }, issues }) => {
    const refuse = (path: string, message: string) =>
      issues.push({ code: 'custom', input: undefined, message, path: [path] });
    if (amount === undefined && (debit === undefined || credit === undefined))
      refuse('amount', 'Expects amount, or both debit and credit.');
    else if (amount !== undefined && (debit !== undefined || credit !== undefined))
      refuse('amount', 'Expects amount, or both debit and credit, and not all of them.');
    else if (sign !== undefined && amount === undefined) refuse('sign', 'Expects amount beside it.');
  })
  .meta({ description: 'Headings of columns, as the header has them.', example: columnsExample });

const delimiterIs = 'What stands between fields.';
const decimalIs = 'What stands before the decimals of an amount.';
const groupIs = 'What stands between groups of three digits. Null: nothing.';
const skipIs = 'Lines before the header.';

export const createProfile = z
  .strictObject({
    name: freeText(TEXT_LIMITS.name, 'For people.'),
    // Signs are texts in the document, without constants: no name can be made of a tab or a point, and generators stop at them.
    delimiter: z.enum(DELIMITERS).meta({ type: 'string', pattern: '^[;,\\t|]$', description: delimiterIs }),
    encoding: z.enum(ENCODINGS).meta({ description: 'Of its characters.' }),
    skip: z
      .int()
      .min(0)
      .max(SKIP_MAX)
      .optional()
      .transform((given) => given ?? 0)
      .meta({ type: 'integer', minimum: 0, maximum: SKIP_MAX, description: `${skipIs} Without it, none.` }),
    columns,
    decimal: z.enum(DECIMALS).meta({ type: 'string', pattern: '^[.,]$', description: decimalIs, example: ',' }),
    group: z
      .enum(GROUPS)
      .nullable()
      .optional()
      .meta({ type: ['string', 'null'], pattern: "^[., '\\u00a0\\u202f]$", description: groupIs }),
    date_format: z.enum(DATE_FORMATS).meta({ description: 'How days are written.' }),
  })
  .check(({ value: { decimal, group }, issues }) => {
    if (group === decimal)
      issues.push({ code: 'custom', input: group, message: 'Expects another sign than decimal.', path: ['group'] });
  })
  .meta({ id: 'CreateCsvProfile' });

export const createProfileExample = {
  name: 'Export of the portal',
  delimiter: ';',
  encoding: 'windows-1252',
  skip: 4,
  columns: columnsExample,
  decimal: ',',
  group: '.',
  date_format: 'DD.MM.YYYY',
};

export const csvProfile = z
  .object({
    id: shown.id('csvProfile'),
    object: z.literal('csv_profile'),
    livemode: shown.livemode,
    name: z.string().meta({ description: 'For people.' }),
    delimiter: shown.oneOf(DELIMITERS, { description: delimiterIs }),
    encoding: shown.oneOf(ENCODINGS, { description: 'Of its characters.' }),
    skip: shown.count(skipIs),
    columns: csvColumns,
    decimal: shown.oneOf(DECIMALS, { description: decimalIs }),
    group: shown.oneOf(GROUPS, { description: groupIs }).nullable(),
    date_format: shown.oneOf(DATE_FORMATS, { description: 'How days are written.' }),
    request_id: shown.id('request', 'The request that made it.'),
    created_at: shown.createdAt,
  })
  .meta({ id: 'CsvProfile', description: "What the columns of a bank's CSV files are. It never changes." });

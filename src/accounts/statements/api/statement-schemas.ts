import { z } from 'zod';
import { listQuery, type PagingQuery } from '../../../api/pages.ts';
import { day } from '../../../api/schemas/fields.ts';
import { accountEntry } from '../../../api/schemas/journal.ts';
import * as shown from '../../../api/schemas/shown.ts';

const FORMATS = ['json', 'csv', 'pdf', 'camt053'] as const;
export type StatementFormat = (typeof FORMATS)[number];

const bom = z.enum(['true', 'false']).optional().meta({
  description: 'Of CSV: a byte order mark before the header, for spreadsheets that need one.',
});

interface Form {
  readonly format?: StatementFormat | undefined;
  readonly bom?: 'true' | 'false' | undefined;
}

export interface StatementQuery extends Form {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

function bomOfCsv({ value, issues }: { readonly value: Form; readonly issues: z.core.$ZodRawIssue[] }): void {
  if (value.bom !== undefined && value.format !== 'csv')
    issues.push({ code: 'custom', input: value, path: ['bom'], message: 'Expects `format=csv` beside it.' });
}

const ofDays = {
  from: day.optional().meta({ description: "The first day, in the book's time zone." }),
  to: day.optional().meta({
    description: 'The last day, which is within it. While it is not over, the statement is `interim`.',
  }),
  format: z.enum(FORMATS).optional().meta({
    description:
      '`json` without it. `camt053` is camt.053.001.08 of ISO 20022, of days that are over. `pdf` and `camt053` have 2,000 lines at most.',
  }),
  bom,
};

export const statementQuery = z.strictObject(ofDays).check(bomOfCsv);

/** The same, and the pages of a list. */
export const statementsQuery = listQuery('statement', ofDays)
  .check(bomOfCsv)
  .check(({ value, issues }) => {
    const { from, to, starting_after, ending_before } = value as StatementQuery & PagingQuery;
    if (from === undefined && to === undefined) return;
    const paging = starting_after === undefined ? ending_before && 'ending_before' : 'starting_after';
    if (paging !== undefined)
      issues.push({ code: 'custom', input: value, path: [paging], message: 'Cannot be combined with days.' });
  });

/** Of a statement that is kept. */
export const contentQuery = z
  .strictObject({
    format: z.enum(FORMATS).optional().meta({
      description: '`json` without it. `pdf` and `camt053` have 2,000 lines at most.',
    }),
    bom,
  })
  .check(bomOfCsv);

const movements = z
  .object({ count: shown.count('How many lines.'), sum: shown.money('Their sum.') })
  .meta({ id: 'StatementMovements', description: 'Lines of one direction.' });

const digest = z.string().meta({
  description:
    'SHA-256 of everything but names and texts: of one line `account,from,to,opening,closing` and of the CSV without `external_id`, `end_to_end_id`, `counterparty` and `description`.',
  example: 'b1946ac92492d2347c6235b4d2611184e0e7f1c0b1a2b3c4d5e6f708192a3b4c',
});

const throughLine = shown.count('The number of the last line that counts; 0 before the first.');

export const storedStatement = z
  .object({
    id: shown.id('statement'),
    object: z.literal('statement'),
    livemode: shown.livemode,
    account: shown.id('account', 'Whose it is.'),
    number: shown.count('Counts from 1, without a gap for the account. `ElctrncSeqNb` of camt.053.'),
    from: shown.day('The first day: the one behind the statement before.'),
    to: shown.day('The last day.'),
    currency: shown.currencyShown,
    currency_exponent: shown.currencyExponent,
    opening: shown.money('Posted balance before the first day: the closing one of the statement before.'),
    credits: movements,
    debits: movements,
    closing: shown.money('Posted balance at the end of the last day.'),
    through_line: throughLine,
    digest,
    created_at: shown.createdAt,
  })
  .meta({ id: 'Statement', description: 'A statement that was made once its days were over. It never changes.' });

export const accountStatement = z
  .object({
    object: z.literal('account_statement'),
    livemode: shown.livemode,
    account: shown.id('account'),
    from: shown.day('The first day.'),
    to: shown.day('The last day.'),
    time_zone: z.string().meta({ description: 'What days are counted by.', example: 'Asia/Amman' }),
    currency: shown.currencyShown,
    currency_exponent: shown.currencyExponent,
    interim: z.boolean().meta({ description: 'The last day is not over: more lines may come.' }),
    through_line: throughLine,
    opening: shown.money('Posted balance before the first day.'),
    credits: movements,
    debits: movements,
    closing: shown.money('Posted balance at the end: opening and what the lines change.'),
    lines: z.array(accountEntry).meta({ description: 'All of them, oldest first.' }),
    digest,
  })
  .meta({
    id: 'AccountStatement',
    description:
      'What an account held before, every line by the day on which it was posted, and what it held then. Of days that are over it never changes.',
  });

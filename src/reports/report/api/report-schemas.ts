/** Schemas of reports. */
import { z } from 'zod';
import { orAll, sequence } from '../../../api/schemas/amount.ts';
import { currency, day, reference } from '../../../api/schemas/fields.ts';
import * as shown from '../../../api/schemas/shown.ts';
import { DETAILS } from '../../figures/figures.ts';
import { REPORT_FORMATS, REPORT_NAMES, REPORT_OPTIONS } from '../../figures/kinds.ts';
import { AXES } from '../../figures/place.ts';
import { FAILURES, REPORT_LIMITS, REPORT_TRANSITIONS, type ReportStatus } from '../report.ts';

export const REPORT_STATUSES = Object.keys(REPORT_TRANSITIONS) as readonly ReportStatus[];

const nullable = <Schema extends z.ZodType>(schema: Schema) => schema.nullable();

const parameters = z
  .object({
    type: shown.oneOf(REPORT_NAMES, { description: 'What is reported.' }),
    as_of: nullable(shown.day('Of a report as of one day: its end.')),
    from: nullable(shown.day('Of a report over days: the first one.')),
    to: nullable(shown.day('The last one.')),
    axis: shown.oneOf(AXES, { description: 'By which day lines count: that of their effect, or of their posting.' }),
    currency: z.string().nullable().meta({ description: 'This one alone; null for all. ISO 4217.', example: 'JOD' }),
    account: nullable(shown.id('account', 'Of a statement, or of a general ledger: this one alone; null for all.')),
    detail: shown.oneOfOrNull(DETAILS, { description: 'Of a general ledger: a row for each line, or for each day.' }),
    format: shown.oneOf(REPORT_FORMATS, { description: 'How the file is written.' }),
    bom: z.boolean().meta({ description: 'The CSV begins with a byte order mark.' }),
  })
  .meta({ id: 'ReportParameters', description: 'What was asked for.' });

const totals = z
  .object({
    currency: shown.currencyShown,
    currency_exponent: shown.currencyExponent,
    debits: shown.money('The sum of the debits.'),
    credits: shown.money('The sum of the credits.'),
  })
  .meta({ id: 'ReportTotals', description: 'Sums of a currency. Currencies are never added up.' });

const result = z
  .object({
    rows: shown.count('Rows of the file.'),
    totals: z.array(totals).meta({
      description: 'Of reports with debits and credits. They are the same sum where the report is of all accounts.',
    }),
    bytes: shown.count('How long the file is.'),
    sha256: z.string().meta({ description: 'Of its bytes, in hexadecimal digits.' }),
    digest: z.string().meta({
      description:
        'Over all columns but names and texts, so it is the same for good. SHA-256 of the digest of the rows before, in hexadecimal digits, and of the row as a line of JSON, an array of its cells with amounts as text.',
    }),
    expires_at: shown.time('When the file is dropped. What is shown here stays.'),
  })
  .meta({ id: 'ReportResult', description: 'The file, and what stands beside it.' });

const failure = z
  .object({
    code: shown.oneOf(FAILURES, {
      description:
        '`figures_contradicted`: the figures do not agree with the journal, and the operator should verify it. `file_too_long`: ask for less.',
    }),
    detail: z.string().meta({ description: 'What was wrong, for people.' }),
  })
  .meta({ id: 'ReportFailure', description: 'Why there is no file.' });

const progress = z
  .object({
    done: shown.count('Rows that are written.'),
    total: z
      .number()
      .nullable()
      .meta({
        type: ['integer', 'null'],
        format: 'int64',
        description: 'How many there are; null until it is known.',
      }),
  })
  .meta({ id: 'ReportProgress', description: 'How far the file is.' });

export const report = z
  .object({
    id: shown.id('report'),
    object: z.literal('report'),
    livemode: shown.livemode,
    status: shown.oneOf(REPORT_STATUSES, {
      description: '`succeeded`: its file can be downloaded until `expires_at`. `failed`: there is none.',
    }),
    parameters,
    interim: z.boolean().meta({ description: 'Its last day was not over: later entries may count to it.' }),
    through_sequence: shown.count('The last entry that counts.'),
    chain_hash: z.string().nullable().meta({
      description: 'The hash of that entry, which covers all before it. Null without an entry.',
    }),
    progress,
    result: shown.orNull(result).meta({ description: 'Null until it has succeeded.' }),
    failure: shown.orNull(failure).meta({ description: 'Null unless it failed.' }),
    allowed_actions: shown.noActions,
    request_id: shown.id('request', 'Of the request for it.'),
    version: shown.version,
    created_at: shown.createdAt,
    updated_at: shown.updatedAt,
  })
  .meta({ id: 'Report', description: 'Figures of the book at a place of its journal, as a file.' });

export const createReport = z
  .strictObject({
    type: z.enum(REPORT_NAMES).meta({ description: 'What is reported: `GET /v1/reports/types` lists them.' }),
    as_of: day.optional().meta({ description: 'The end of this day, which may be today. Of reports as of one day.' }),
    from: day.optional().meta({ description: 'The first day. Of reports over days.' }),
    to: day.optional().meta({ description: 'The last day, which may be today. Of reports over days.' }),
    axis: z.enum(AXES).optional().meta({
      description: 'By which day lines count. Without it, the first that the type has.',
    }),
    currency: currency.optional().meta({ description: 'This one alone.' }),
    account: reference(
      'account',
      'Of a statement, which needs one, or of a general ledger: this account of the chart alone.',
    ).optional(),
    detail: z.enum(DETAILS).optional().meta({
      description: 'Of a general ledger: a row for each line (`entry`, without it), or for each day.',
    }),
    through_sequence: orAll(
      sequence,
      'The last entry that counts: of an earlier report, for the same figures. Without it, all.',
    ),
    format: z.enum(REPORT_FORMATS).meta({ description: 'How the file is written.' }),
    bom: z.boolean().optional().meta({
      description: 'Of CSV: a byte order mark before the header, for spreadsheets that need one.',
    }),
  })
  .meta({ id: 'CreateReport' });

const reportType = z
  .object({
    type: shown.oneOf(REPORT_NAMES, { description: 'As reports name it.' }),
    title: z.string().meta({ description: 'For people.', example: 'Trial balance' }),
    days: shown.oneOf(['as_of', 'from_to'], { description: 'Which days it takes: the end of one, or several.' }),
    axes: z
      .array(shown.oneOf(AXES, { description: 'An axis.' }))
      .meta({ description: 'By which days its lines may count; the first one by itself.' }),
    takes: z
      .array(shown.oneOf(REPORT_OPTIONS, { description: 'A parameter.' }))
      .meta({ description: 'What it may be asked for beside days, axis and currency.' }),
    formats: z
      .array(shown.oneOf(REPORT_FORMATS, { description: 'A format.' }))
      .meta({ description: 'How it may be written.' }),
    needs_account: z.boolean().meta({ description: 'It is of one account, which `account` names.' }),
    operator_only: z.boolean().meta({ description: "Of the operator's books alone; others are refused it." }),
    columns: z
      .array(z.string())
      .meta({ description: 'Of a row. Of an amount, CSV has a second one with minor units.' }),
  })
  .meta({ id: 'ReportType', description: 'A report that can be asked for.' });

export const reportTypes = z
  .object({
    object: z.literal('report_types'),
    types: z.array(reportType).meta({ description: 'All of them.' }),
  })
  .meta({ id: 'ReportTypes', description: 'The reports that can be asked for.' });

export const reportLimitsSchema = z
  .object({
    under_way: shown.count('Reports of a book that are pending or running.'),
    kept: shown.count('Reports of a book whose files are kept.'),
    kept_days: shown.count('For how many days a file is kept.'),
    file_bytes: shown.count('The longest file.'),
    pdf_lines: shown.count('Lines of the longest statement as PDF.'),
    book_bytes: shown.count('Bytes of the files of a book.'),
  })
  .meta({ id: 'ReportLimits', description: 'Limits on reports.' });

export const reportLimits = {
  under_way: REPORT_LIMITS.underWay,
  kept: REPORT_LIMITS.kept,
  kept_days: REPORT_LIMITS.keptDays,
  file_bytes: REPORT_LIMITS.fileBytes,
  pdf_lines: REPORT_LIMITS.pdfLines,
  book_bytes: REPORT_LIMITS.bookBytes,
};

/** Schemas of runs over bank files. */
import { z } from 'zod';
import { dryRunMember, dryRunQuery } from '../../../api/dry-run.ts';
import { freeText, reference, TEXT_LIMITS } from '../../../api/schemas/fields.ts';
import * as shown from '../../../api/schemas/shown.ts';
import { LEFT_KINDS, RULES } from '../../matches/matching.ts';
import { statementFinding } from '../../statements/api/bank-statement-schemas.ts';
import { RECONCILIATION_TRANSITIONS, type ReconciliationStatus } from '../reconciliation.ts';
import { VERDICTS } from '../rehearse-file.ts';

export const RECONCILIATION_STATUSES = Object.keys(RECONCILIATION_TRANSITIONS) as readonly ReconciliationStatus[];

const reconciledFile = z
  .object({
    sha256: z.string().meta({ description: 'Of its bytes, in hexadecimal digits.' }),
    name: z.string().meta({ description: 'As the file was called, for people.' }),
    format: z.string().meta({ description: 'What it is.', example: 'camt.053' }),
    bytes: shown.count('How long it is.'),
    profile: shown.id('csvProfile', 'By which a CSV is read. Null for the formats of banks.').nullable(),
  })
  .meta({ id: 'ReconciliationSource', description: 'The file.' });

const finding = statementFinding
  .extend({ bank_statement: shown.id('bankStatement', 'What it is about. Null in a dry run.').nullable() })
  .meta({ id: 'ReconciliationFinding', description: 'Something that was found about a statement of the file.' });

const ruleCount = z
  .object({
    rule: shown.oneOf(RULES, { description: 'What confirmed the matches.' }),
    currency: shown.currencyShown,
    currency_exponent: shown.currencyExponent,
    lines: shown.count('Lines that it matched.'),
    amount: shown.money('What they come to, in and out together.'),
  })
  .meta({ id: 'MatchedByRule', description: 'What a rule has matched.' });

const position = z
  .object({
    bank_account: shown.id('bankAccount'),
    currency: shown.currencyShown,
    currency_exponent: shown.currencyExponent,
    on: shown.day('The last day of the last posted statement. Null where none is posted.').nullable(),
    bank: shown.moneyOrNull('What that statement closes with. Null where it states no balance.'),
    in_transit_in: shown.money('What rails and acquirers will pay in this currency, and no line has shown.'),
    in_transit_out: shown.money('What rails and acquirers will take in this currency, and no line has shown.'),
    unallocated: shown.money('Booked credits of this currency that nothing has explained.'),
    suspense: shown.money('Booked debits of this currency that nothing has explained.'),
    books: shown.money('What stands on the bank account, in the ledger.'),
    difference: shown.moneyOrNull('`bank` less `books`. Null where the bank states no balance.'),
  })
  .meta({ id: 'BankPosition', description: 'A bank account as the run left it.' });

const verdict = z
  .object({
    account: z.string().meta({ description: 'As the file names it.' }),
    number: z.string().nullable().meta({ description: 'Of the statement.' }),
    verdict: shown.oneOf(VERDICTS, { description: 'What would become of it.' }),
    lines: shown.count('Its booked lines.'),
  })
  .meta({ id: 'StatementVerdict', description: 'What would become of a statement.' });

const left = z
  .object({
    kind: shown.oneOf(LEFT_KINDS, { description: 'The kind of the exception that they would be.' }),
    lines: shown.count('How many lines.'),
  })
  .meta({ id: 'LinesLeft', description: 'Lines that no rule would match.' });

const progress = z
  .object({
    bytes: shown.count('Of the file, how many bytes are taken.'),
    lines: shown.count('Booked lines of the file that are taken.'),
  })
  .meta({ id: 'ReconciliationProgress', description: 'How far a run is.' });

/** A day whose statements a person has in hand. */
const day = z.iso.date({ error: 'Expects a day, such as 2026-11-30.' }).meta({
  type: 'string',
  format: 'date',
  description: 'Lines that are booked later stay as they are. Without it, all lines.',
  example: '2026-11-30',
});

export const matchAgain = z
  .strictObject({
    bank_account: reference('bankAccount', "Whose lines are matched, in the operator's books.").optional(),
    account: reference('account', 'In any other book: the account whose lines are compared.').optional(),
    through: day.optional(),
  })
  .meta({ id: 'MatchAgain' });

const TYPE_NAMED = 'Of a file:';

export const uploadQuery = dryRunQuery.extend({
  bank_account: reference(
    'bankAccount',
    `${TYPE_NAMED} whose lines a CSV has. The statements of other formats name their account, and have to be of this one.`,
  ).optional(),
  account: reference(
    'account',
    "In any other book than the operator's: the account whose lines are compared with the file. Nothing is posted.",
  ).optional(),
  profile: reference('csvProfile', `${TYPE_NAMED} what the columns of a CSV are.`).optional(),
  name: freeText(TEXT_LIMITS.name, `${TYPE_NAMED} what it is called, for people. Without it, its format.`).optional(),
});

export const reconciliation = z
  .object({
    id: shown.id('reconciliation'),
    object: z.literal('reconciliation'),
    livemode: shown.livemode,
    status: shown.oneOf(RECONCILIATION_STATUSES, {
      description:
        '`pending` until a worker takes it, `completed` once every statement is posted, held or rejected and lines are matched; `failed` where the file that is kept cannot be read.',
    }),
    source: shown.orNull(reconciledFile).meta({ description: 'The file. Null where lines are matched again.' }),
    bank_account: shown
      .id('bankAccount', 'Of a CSV: whose lines it has. Where lines are matched again: whose. Else null.')
      .nullable(),
    account: shown
      .id('account', "Of a book's own comparison: the account whose lines are compared. Null in the operator's books.")
      .nullable(),
    through: shown.day('Where lines are matched again: the last booking day of them. Null: all days.').nullable(),
    statements: shown.count('Statements of the file.'),
    known: shown.count('How many of them other files had brought before.'),
    lines: shown.count('Lines that the run posted or, where it compares with an account, took.'),
    matched: shown.count('Lines that the run matched, of this file or of others before it.'),
    by_rule: z.array(ruleCount).meta({ description: 'The same by rule.' }),
    proposed: shown.count('Lines without a match for which there are proposals.'),
    open: shown.count('Lines of the book that no rule explained when the run ended.'),
    findings: z.array(finding).meta({ description: 'What was found: the first hundred.' }),
    findings_total: shown.count('How many findings there are.'),
    position: z.array(position).meta({ description: 'The bank accounts of the file, as the run left them.' }),
    rules_version: z.number().int().nullable().meta({
      description:
        'The active version of rules of its bank accounts. Null where they have different ones or none, and before the end.',
    }),
    mirrored_through: z.number().int().nullable().meta({
      description:
        "The last entry of the book when lines were matched: what was moved by then was expected, in the operator's books by all books. Null before.",
    }),
    digest: z.string().nullable().meta({
      description:
        'SHA-256 over the matches that the run has made, whatever their order, in hexadecimal digits. Null before the end.',
    }),
    progress,
    failure: z.string().nullable().meta({ description: 'Why it failed, for people. Else null.' }),
    dry_run: dryRunMember,
    ok: z
      .boolean()
      .optional()
      .meta({ description: 'Only in the answer to a dry run: whether nothing would be left to people.' }),
    verdicts: z
      .array(verdict)
      .optional()
      .meta({ description: 'Only in the answer to a dry run: the statements of the file, the first hundred.' }),
    left: z
      .array(left)
      .optional()
      .meta({ description: 'Only in the answer to a dry run: lines that no rule would match.' }),
    allowed_actions: shown.noActions,
    request_id: shown.id('request', 'Of the run.'),
    version: shown.version,
    created_at: shown.createdAt,
    updated_at: shown.updatedAt,
  })
  .meta({ id: 'Reconciliation', description: "A run over a bank's file." });

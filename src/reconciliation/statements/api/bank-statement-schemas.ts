/** Schemas of bank statements. */
import { z } from 'zod';
import { freeText, TEXT_LIMITS } from '../../../api/schemas/fields.ts';
import * as shown from '../../../api/schemas/shown.ts';
import { actor } from '../../../api/schemas/timeline.ts';
import {
  BANK_STATEMENT_TRANSITIONS,
  type BankStatementAction,
  type BankStatementStatus,
  HOLDING,
  INFORMING,
  REJECTING,
} from '../bank-statement.ts';

export const BANK_STATEMENT_STATUSES = Object.keys(BANK_STATEMENT_TRANSITIONS) as readonly BankStatementStatus[];

const KINDS = ['statement', 'report', 'notification'] as const;
const FORMATS = ['camt.052', 'camt.053', 'camt.054', 'MT940', 'MT942', 'BAI2', 'CSV'] as const;

export const statementFinding = z.object({
  code: shown.oneOf([...HOLDING, ...REJECTING, ...INFORMING], {
    description:
      'What was found. The first six hold a statement, the next two reject it, the others only state something.',
  }),
  place: z.number().int().nullable().meta({ description: 'The line of the file.' }),
  detail: z.string().meta({ description: 'What it means, for people.' }),
  expected: z.string().nullable().meta({ description: 'What should stand there. Null where nothing is compared.' }),
  actual: z.string().nullable().meta({ description: 'What stands there.' }),
});

const finding = statementFinding.meta({
  id: 'StatementFinding',
  description: 'Something about a statement that a person should know.',
});

const sums = z
  .object({ count: shown.count('How many lines.'), sum: shown.money('What they come to.') })
  .meta({ id: 'StatementSums', description: 'Lines of one direction, as the file states them.' });

export const bankStatement = z
  .object({
    id: shown.id('bankStatement'),
    object: z.literal('bank_statement'),
    livemode: shown.livemode,
    status: shown.oneOf(BANK_STATEMENT_STATUSES, {
      description:
        '`received` while its lines are posted, where they are compared with an account, and of a message that only informs; `held` until the missing file comes or two persons decide.',
    }),
    reconciliation: shown.id('reconciliation', 'The run that brought it first.'),
    bank_account: shown
      .id('bankAccount', "Null while no bank account has its identifier, and in a book's own comparison.")
      .nullable(),
    compared_account: shown
      .id('account', "Of a book's own comparison: the account whose lines are compared. Null in the operator's books.")
      .nullable(),
    account: z.string().meta({ description: 'As the bank names the account.' }),
    kind: shown.oneOf(KINDS, { description: 'What kind of message it is.' }),
    format: shown.oneOf(FORMATS, { description: 'Of the file.' }),
    number: z.string().nullable().meta({ description: 'As the bank counts. Null where it does not.' }),
    page: z.number().int().nullable().meta({ description: 'Null where the statement has one page.' }),
    from: z.iso.date().nullable().meta({ description: 'Its first day. Null where the bank does not state.' }),
    to: z.iso.date().nullable().meta({ description: 'Its last day. Null where the bank does not state.' }),
    currency: shown.currencyShown.nullable(),
    currency_exponent: shown.currencyExponent.nullable(),
    opening: shown.moneyOrNull('What stood on the account before its first line. Null where the bank does not state.'),
    closing: shown.moneyOrNull('What stood on the account behind its last line. Null where the bank does not state.'),
    credits: sums,
    debits: sums,
    lines: shown.count('Lines that are its own. What other statements brought already is left out.'),
    lines_posted: shown.count('How many of them are posted.'),
    findings: z.array(finding).meta({ description: 'What was found about it.' }),
    supersedes: shown.id('bankStatement', 'The posted statement that it states more than.').nullable(),
    sha256: z.string().meta({ description: 'Of its file, in hexadecimal digits.' }),
    exception: shown.id('exception', 'What holds it, for people. Null where nothing does.').nullable(),
    decision: shown.oneOfOrNull(['accept', 'reject'], {
      description: 'What one person has decided. Another approves.',
    }),
    reason: z.string().nullable().meta({ description: 'Why. Null where nobody decided, and once erased.' }),
    decided_by: shown.orNull(actor).meta({ description: 'Who decided.' }),
    approved_by: shown.orNull(actor).meta({ description: 'The second person.' }),
    journal_entries: shown.entries('Its entries: the first hundred. Its lines name all of them.'),
    allowed_actions: shown.allowedActions<BankStatementAction>('accept', 'reject', 'approve'),
    request_id: shown.id('request', 'Of the run that brought it.'),
    version: shown.version,
    created_at: shown.createdAt,
    updated_at: shown.updatedAt,
  })
  .meta({ id: 'BankStatement', description: 'What a bank stated of an account.' });

const reason = freeText(TEXT_LIMITS.description, 'Why. The second person reads it.');
export const acceptBankStatement = z.strictObject({ reason }).meta({ id: 'AcceptBankStatement' });
export const rejectBankStatement = z.strictObject({ reason }).meta({ id: 'RejectBankStatement' });

export const approveBankStatement = z
  .strictObject({
    version: z
      .number()
      .int()
      .min(1)
      .max(2_147_483_647)
      .meta({ description: 'The `version` that you have looked at.', example: 3 }),
  })
  .meta({ id: 'ApproveBankStatement' });

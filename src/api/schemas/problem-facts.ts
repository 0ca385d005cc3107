/**
 * The typed facts of problems: by error code, the members beside those of every problem. The description of an optional
 * one names when it is there. A code that is not listed here has no facts.
 */
import { z } from 'zod';
import type { ErrorCode } from '../../errors/errors.ts';
import { SCOPES } from '../../organisations/api-key.ts';
import { closingBlock } from './closing-block-schema.ts';
import { csvColumns } from './csv-columns.ts';
import * as shown from './shown.ts';

const whole = (description: string) => z.number().int().meta({ description });

const limit = shown.money('How much is allowed, in what `detail` names.');

const available = shown.money('What the account has available.');

const blockedBy = z.array(closingBlock).meta({ description: 'What keeps the account from being closed.' });
const currentStatus = z.string().meta({ description: 'The status of the object.', example: 'closed' });

const place = (description: string) => whole(description).optional();

const resource = z.string().nullable().meta({
  description:
    'The id of what the key stands for, or of what was made of the same content; null where it made nothing.',
});

const filePlace = z
  .object({ line: shown.count('From 1.') })
  .nullable()
  .meta({ description: 'Where in the file. Null where the whole file is meant.' });

const fileFinding = z
  .object({
    code: z.string().meta({ description: 'What was found.', example: 'file_invalid' }),
    place: whole('The line of the file.').nullable(),
    detail: z.string().meta({ description: 'What it means, for people.' }),
  })
  .meta({ id: 'FileFinding', description: 'Something that is wrong with a file.' });

const candidate = z
  .object({
    profile: shown.id('csvProfile', 'The profile. Null for one that is not saved.').nullable(),
    delimiter: z.string().meta({ description: 'What stands between fields.', example: ';' }),
    encoding: z.string().meta({ description: 'Of its characters.', example: 'utf-8' }),
    skip: shown.count('Lines before the header.'),
    columns: csvColumns,
    decimal: z.string().meta({ description: 'What stands before the decimals of an amount.', example: ',' }),
    group: z.string().nullable().meta({ description: 'What stands between groups of three digits. Null: nothing.' }),
    date_format: z.string().meta({ description: 'How days are written.', example: 'DD/MM/YYYY' }),
  })
  .meta({ id: 'ProfileCandidate', description: 'A profile by which a CSV can be read.' });

export const PROBLEM_FACTS: Partial<Record<ErrorCode, z.ZodRawShape>> = {
  malformed_json: {
    position: place('Where reading stopped, in characters from 0. An empty or cut-off body has none.'),
    line: place('Where reading stopped, from 1.'),
    column: place('Where reading stopped, from 1.'),
  },
  parameter_invalid: { limit: limit.optional() },
  amount_below_minimum: { limit },
  amount_above_maximum: { limit },
  payload_too_large: { limit },
  rate_limited: { limit: limit.optional() },
  limit_exceeded: {
    limit: limit.optional(),
    currency: shown.currencyShown.optional(),
    currency_exponent: shown.currencyExponent.optional(),
    window: shown
      .oneOf(['payout', 'day', 'month'], { description: 'Of a limit of payouts: what it limits.' })
      .optional(),
    used: shown.money('Of a limit of payouts: what of it is used.').optional(),
    remaining: shown.money('Of a limit of payouts: what of it remains.').optional(),
    resets_at: shown
      .time('Of a limit of payouts: when its day or month ends, in the time zone of the book; null for one payout.')
      .nullable()
      .optional(),
  },
  rail_unavailable: {
    lacks: shown
      .oneOf(['destination', 'currency', 'amount'], {
        description: 'What of the payout no route carries. Only where the operator has set routes.',
      })
      .optional(),
  },
  permission_denied: {
    required_scope: shown.oneOf(SCOPES, { description: 'The scope that the key lacks.' }).optional(),
  },
  self_approval_forbidden: { current_status: currentStatus },
  state_conflict: {
    current_status: currentStatus,
    allowed_actions: z.array(z.string()).optional().meta({ description: 'What may be done with the object now.' }),
    entry_sequence: shown.count('The entry that no checkpoint covers yet.').optional(),
    resource: resource.optional(),
    undo: z.string().optional().meta({ description: 'What undoes an entry that cannot be reversed.' }),
    reversed_by: shown.id('entry', 'The entry that has reversed it already.').optional(),
    blocked_by: blockedBy.optional().meta({ description: 'What keeps days of the book open.' }),
  },
  version_mismatch: { version: shown.version.meta({ description: 'The version of the object.' }) },
  account_not_empty: {
    blocked_by: blockedBy,
  },
  insufficient_funds: {
    account: shown.id('account', 'The account that lacks it, where several pay.').optional(),
    available,
    required: shown.money('What the request needs, fee included.'),
    currency: shown.currencyShown.optional(),
    currency_exponent: shown.currencyExponent.optional(),
  },
  file_invalid: {
    place: filePlace,
    findings: z.array(fileFinding).meta({ description: 'What is wrong: the first hundred.' }),
  },
  profile_needed: { candidates: z.array(candidate).meta({ description: 'The profiles that fit: at most ten.' }) },
  expectation_failed: {
    sequence: shown.count('The number of lines that the account has.').optional(),
    available: available.optional(),
  },
  period_closed: {
    closed_through: shown.day('The last day that is closed.'),
    first_open_day: shown.day('The first day on which an entry may take effect.'),
  },
  reader_busy: { reader_action: shown.id('readerAction', 'The action in progress.') },
  capture_exceeds_authorized: { capturable: shown.money('What may still be captured.') },
  refund_exceeds_captured: { refundable: shown.money('What may still be refunded.') },
  currency_mismatch: {
    account_currency: shown.currencyShown.optional().meta({ description: 'That of the account. ISO 4217.' }),
  },
  idempotency_key_reused: {
    resource,
    first_request_id: shown.id('request', 'The request that came first.'),
  },
};

/** Schemas of periods. */
import { z } from 'zod';
import { day, freeText, TEXT_LIMITS } from '../../../api/schemas/fields.ts';
import * as shown from '../../../api/schemas/shown.ts';
import { actor } from '../../../api/schemas/timeline.ts';
import { PERIOD_TRANSITIONS, type PeriodStatus } from '../period.ts';

export const PERIOD_STATUSES = Object.keys(PERIOD_TRANSITIONS) as readonly PeriodStatus[];

const finding = z
  .object({
    check: z.string().meta({ description: 'The rule that does not hold.', example: 'journal.chain' }),
    ids: z
      .record(z.string(), z.string())
      .meta({ description: 'Where it does not hold.', example: { sequence: '1041' } }),
    expected: z.string().meta({ description: 'What should be there.' }),
    actual: z.string().meta({ description: 'What is there.' }),
    detail: z.string().meta({ description: 'The finding, for people.' }),
  })
  .meta({ id: 'PeriodFinding', description: 'Something that verification found in the journal.' });

const open = z
  .object({
    type: z.string().meta({ description: 'What it is.', example: 'exceptions_open' }),
    count: shown.count('How many there are: at most 10,000 are counted.'),
  })
  .meta({ id: 'OpenItem', description: 'What was open when the days were closed.' });

const reasonShown = (what: string) =>
  z
    .string()
    .nullable()
    .meta({ description: `${what} Null where none was given, and once erased.` });

export const period = z
  .object({
    id: shown.id('period'),
    object: z.literal('period'),
    livemode: shown.livemode,
    status: shown.oneOf(PERIOD_STATUSES, {
      description:
        '`pending` while its entries are verified; no entry takes effect on its days already. `refused`: something was found, and the days are open again.',
    }),
    through: shown.day('The last of its days.'),
    through_sequence: shown.count('The last entry that was there when the days were closed.'),
    chain_hash: z.string().meta({ description: 'The hash of that entry, which covers all before it.' }),
    trial_balance_digest: z.string().nullable().meta({
      description:
        'SHA-256 of the trial balance at the end of `through`, by effect: a line `account,currency,debit,credit` for each account that does not stand at zero, in order of id. Null until it is closed.',
    }),
    findings: z.array(finding).meta({ description: 'What was found: the first hundred.' }),
    findings_total: shown.count('How many findings there are.'),
    open: z.array(open).meta({ description: 'What was open when the days were closed. It keeps nobody from closing.' }),
    actor,
    reason: reasonShown('Why.'),
    at: shown.time("When the days were closed, in the book's own time."),
    reopened_by: shown.orNull(actor).meta({ description: 'Who opened the days again.' }),
    reopening_reason: reasonShown('Why they were opened again.'),
    reopened_at: shown.time("When they were opened again, in the book's own time.").nullable(),
    allowed_actions: shown.noActions,
    request_id: shown.id('request', 'Of the closing.'),
    version: shown.version,
    created_at: shown.createdAt,
    updated_at: shown.updatedAt,
  })
  .meta({ id: 'Period', description: 'Days of the book that were closed.' });

export const closeBooks = z
  .strictObject({
    through: day.meta({ description: "The last day to close, in the book's time zone: it is over." }),
    reason: freeText(TEXT_LIMITS.description, 'For people.').nullable().optional(),
  })
  .meta({ id: 'CloseBooks' });

export const reopenBooks = z
  .strictObject({
    after: day.nullable().meta({ description: 'The last day that stays closed; null to open all days.' }),
    reason: freeText(TEXT_LIMITS.description, 'Why.'),
  })
  .meta({ id: 'ReopenBooks' });

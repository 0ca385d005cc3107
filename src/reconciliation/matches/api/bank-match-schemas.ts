/** Schemas of matches. */
import { z } from 'zod';
import { freeText, reference, TEXT_LIMITS } from '../../../api/schemas/fields.ts';
import * as shown from '../../../api/schemas/shown.ts';
import { actor } from '../../../api/schemas/timeline.ts';
import { DIFFERENCE_TO } from '../../rules/bank-account-rules.ts';
import { BANK_MATCH_TRANSITIONS, type BankMatchAction, type BankMatchStatus } from '../bank-match.ts';
import { RULES } from '../matching.ts';

export const BANK_MATCH_STATUSES = Object.keys(BANK_MATCH_TRANSITIONS) as readonly BankMatchStatus[];

/** A person looks at each. */
const PARTS_MAX = 100;

const differenceTo = z
  .enum(DIFFERENCE_TO)
  .meta({ description: 'The account that takes what the lines and the items differ by.' });
const reason = freeText(TEXT_LIMITS.description, 'Why, for the second person.');

export const proposeMatch = z
  .strictObject({
    lines: z
      .array(reference('bankLine', 'A line of a bank statement.'))
      .max(PARTS_MAX)
      .meta({ description: 'All that is open of each.' }),
    items: z
      .array(reference('expectedItem', 'An expected item.'))
      .max(PARTS_MAX)
      .meta({ description: 'All that is open of each. None where the lines cancel each other, or are a charge.' }),
    difference_to: differenceTo.optional(),
    reason,
  })
  .refine(({ lines, items }) => lines.length + items.length > 0, {
    path: ['lines'],
    error: 'Expects a line or an item.',
  })
  .meta({ id: 'ProposeBankMatch' });

export const approveMatch = z
  .strictObject({ version: z.int().min(1).meta({ description: 'The version that the person has looked at.' }) })
  .meta({ id: 'ApproveBankMatch' });

export const undoMatch = z
  .strictObject({ reason: freeText(TEXT_LIMITS.description, 'Why it was wrong.') })
  .meta({ id: 'UndoBankMatch' });

const matchedLine = z
  .object({ line: shown.id('bankLine'), amount: shown.money('Its part; money in is positive.') })
  .meta({ id: 'MatchedLine', description: 'A part of a line, or all of it.' });

const matchedItem = z
  .object({ item: shown.id('expectedItem'), amount: shown.money('Its part; money in is positive.') })
  .meta({ id: 'MatchedItem', description: 'A part of an item, or all of it.' });

const place = shown.count('Its place in the match, from 1.');

export const lineOfMatch = matchedLine
  .extend({ sequence: place })
  .meta({ id: 'BankMatchLine', description: 'A line of a match.' });

export const itemOfMatch = matchedItem
  .extend({ sequence: place })
  .meta({ id: 'BankMatchItem', description: 'An item of a match.' });

const difference = z
  .object({
    amount: shown.money('What the lines come to, less what the items come to.'),
    to: shown.oneOf(DIFFERENCE_TO, {
      description: 'The account that takes it; `own_funds` at the opening of a bank account.',
    }),
  })
  .meta({ id: 'MatchDifference', description: 'What the lines and the items differ by.' });

export const bankMatch = z
  .object({
    id: shown.id('bankMatch'),
    object: z.literal('bank_match'),
    livemode: shown.livemode,
    status: shown.oneOf(BANK_MATCH_STATUSES, {
      description: '`confirmed` by a rule at once, or by a second person; then it is booked.',
    }),
    rule: shown.oneOf([...RULES, 'manual', 'opening'], {
      description:
        'What confirmed it; `manual` is two persons, `opening` that of a bank account, which has its items in it already.',
    }),
    rules_version: z.number().int().nullable().meta({
      description:
        'The number of the version of rules of the bank account that was active. Null where there was none, and for persons.',
    }),
    reason: z.string().nullable().meta({ description: 'Why. Null once it was erased.' }),
    account: shown
      .id('account', "Of a book's own comparison: the account whose lines are its items. Null in the operator's books.")
      .nullable(),
    currency: shown.currencyShown,
    currency_exponent: shown.currencyExponent,
    lines: z.array(matchedLine).meta({ description: 'Lines of bank statements.' }),
    lines_total: shown.count('How many lines it has.'),
    items: z.array(matchedItem).meta({ description: 'The expected items that the lines show.' }),
    items_total: shown.count('How many items it has.'),
    difference: shown.orNull(difference).meta({ description: 'Null where they come to the same.' }),
    by: shown.orNull(actor).meta({ description: 'Who proposed it. Null for a rule.' }),
    approved_by: shown.orNull(actor).meta({ description: 'Who approved or rejected it. Null for a rule, and before.' }),
    undone_by: shown.orNull(actor).meta({ description: 'Who undid it. Null before.' }),
    undo_reason: z.string().nullable().meta({ description: 'Why it was undone. Null once that was erased.' }),
    journal_entries: shown.entries(
      "The entry that booked it, and the one that took it back. None in a book's own comparison.",
    ),
    allowed_actions: shown.allowedActions<BankMatchAction>('approve', 'reject', 'undo'),
    request_id: shown.id('request', 'The request, or the run, that made it.'),
    version: shown.version,
    created_at: shown.createdAt,
    updated_at: shown.updatedAt,
  })
  .meta({ id: 'BankMatch', description: 'Lines of bank statements, and the expected items that they show.' });

/** Exceptions as the API and their events show them: cases that the books cannot resolve by themselves. */
import { z } from 'zod';
import { freeText, reference, TEXT_LIMITS } from '../../api/schemas/fields.ts';
import { problem } from '../../api/schemas/problem.ts';
import * as shown from '../../api/schemas/shown.ts';
import { actor } from '../../api/schemas/timeline.ts';
import { EXCEPTION_STATUSES, type ExceptionAction } from '../exception.ts';

const proposedMatch = z
  .object({
    rule: z
      .string()
      .meta({ description: 'What speaks for it; `amount` is the amount alone.', example: 'end_to_end_id' }),
    reason: z.string().meta({ description: 'In words.' }),
    lines: z.array(shown.id('bankLine')).meta({ description: 'Lines of bank statements.' }),
    items: z.array(shown.id('expectedItem')).meta({ description: 'Expected items.' }),
    difference: shown.money('What the lines come to, less what the items come to.'),
  })
  .meta({ id: 'ProposedMatch', description: 'A match for a person to propose, or not.' });

const evidence = z
  .object({
    type: shown.oneOf(['explanation', 'file'], {
      description: '`explanation`: the `reason`. `file`: what an operator ended the payout by.',
    }),
    sha256: z.string().nullable().meta({ description: 'Of a file, in hexadecimal digits.' }),
    actor,
    at: shown.time("When it was given, in the book's own time."),
  })
  .meta({ id: 'ExceptionEvidence', description: 'What shows that an exception is settled.' });

const waiting = z
  .object({
    account: shown.id('account', 'Where it waits. Null at the bank: no book has it yet.').nullable(),
    amount: shown.money("How much, in the currency's smallest unit."),
    currency: shown.currencyShown,
    currency_exponent: shown.currencyExponent,
  })
  .meta({ id: 'WaitingMoney', description: 'Money that waits until somebody moves it.' });

export const exception = z
  .object({
    id: shown.id('exception'),
    object: z.literal('exception'),
    livemode: shown.livemode,
    kind: z.string().meta({ description: 'What kind of thing happened.', example: 'paid_after_failed' }),
    resource: z.string().meta({ description: 'What it is about.', example: 'payout' }),
    resource_id: z.string().meta({ description: 'Its id. A notice of a rail has a plain UUID.' }),
    detail: z.string().meta({ description: 'What happened, for people.' }),
    waiting: shown.orNull(waiting).meta({
      description:
        'Money that waited when it was opened, and that `move_to` moves: all of it or, where a chargeback took some out of a closed account since, the rest. Null where none waited.',
    }),
    move_to: shown.id('account', 'Where money that waits at the bank is to go: booked by the approval.').nullable(),
    move_to_book: shown
      .id(
        'book',
        'The book of that account, where a credit of a bank is given to an account of a customer. Null for the book of the exception.',
      )
      .nullable(),
    status: shown.oneOf(EXCEPTION_STATUSES, {
      description: '`approved` is its end. Before it, a person looks at it, and explains it or moves its money.',
    }),
    assignee: shown.id('person', 'Who looks at it.').nullable(),
    reason: z
      .string()
      .nullable()
      .meta({ description: 'The last explanation. Null where there is none, and once erased.' }),
    proposals: z
      .array(proposedMatch)
      .meta({ description: 'What a line may be that no rule explains. Empty for other kinds.' }),
    evidence: z.array(evidence).meta({ description: 'What shows that it is settled: at most one of each type.' }),
    handled_by: shown
      .orNull(actor)
      .meta({ description: 'Who explained it, or moved its money. Somebody else approves.' }),
    approved_by: shown.orNull(actor).meta({ description: 'The second person.' }),
    age_days: z.number().int().meta({
      description: 'Whole days since it was opened, in wall time; of one that has ended, until its end.',
      example: 3,
    }),
    journal_entries: shown.entries('The entries that put it right.'),
    allowed_actions: shown.allowedActions<ExceptionAction>('assign', 'explain', 'move_to', 'allocate', 'approve'),
    version: shown.version,
    created_at: shown.createdAt,
    updated_at: shown.updatedAt,
    resolved_at: shown.time('When it was approved.').nullable(),
  })
  .meta({
    // Not `Exception`: a class of this name hides that of Java, Python and PHP in clients.
    id: 'ExceptionCase',
    description: 'What the books cannot follow by themselves, and what two persons made of it.',
  });

export const assignException = z
  .strictObject({ person: reference('person', 'Of your organisation.') })
  .meta({ id: 'AssignException' });

export const explainException = z
  .strictObject({ reason: freeText(TEXT_LIMITS.description, 'Why the books are right as they are.') })
  .meta({ id: 'ExplainException' });

export const moveException = z
  .strictObject({ account: reference('account', 'The account that gets the money.') })
  .meta({ id: 'MoveException' });

export const approveException = z
  .strictObject({
    version: z
      .number()
      .int()
      .min(1)
      .max(2_147_483_647)
      .meta({ description: 'The `version` that you have looked at.', example: 3 }),
  })
  .meta({ id: 'ApproveException' });

/** Most items of a request about several. */
const ITEMS_MAX = 100;

export const assignExceptions = z
  .strictObject({
    items: z
      .array(reference('exception'))
      .min(1)
      .max(ITEMS_MAX)
      .meta({ description: `The exceptions, at most ${ITEMS_MAX}.` }),
    person: reference('person', 'Of your organisation.'),
  })
  .meta({ id: 'AssignExceptions' });

export const approveExceptions = z
  .strictObject({
    items: z
      .array(z.strictObject({ id: reference('exception', 'The exception.'), ...approveException.shape }))
      .min(1)
      .max(ITEMS_MAX)
      .meta({ description: `The exceptions, at most ${ITEMS_MAX}, each at the version that you have looked at.` }),
  })
  .meta({ id: 'ApproveExceptions' });

const exceptionAnswer = z
  .object({
    id: shown.id('exception', 'Of the item.'),
    status: z.number().int().meta({ description: 'The HTTP status of its answer.', example: 200 }),
    exception: shown.orNull(exception).meta({ description: 'As it is now. Null where it was refused.' }),
    problem: shown.orNull(problem).meta({ description: 'Why it was refused. Null where it was not.' }),
  })
  .meta({ id: 'ExceptionAnswer', description: 'What became of one item.' });

export const exceptionAnswers = z
  .object({
    object: z.literal('exception_answers'),
    data: z.array(exceptionAnswer).meta({ description: 'An answer for each item, in their order.' }),
  })
  .meta({ id: 'ExceptionAnswers', description: 'What became of each item of a request about several exceptions.' });

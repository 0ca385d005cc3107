/** Exceptions as the API and their events show them: what the books cannot follow by themselves. */
import { z } from 'zod';
import { freeText, reference, TEXT_LIMITS } from '../../api/schemas/fields.ts';
import * as shown from '../../api/schemas/shown.ts';
import { actor } from '../../api/schemas/timeline.ts';
import { EXCEPTION_STATUSES, type ExceptionAction } from '../exception.ts';

const evidence = z
  .object({
    type: z
      .enum(['explanation', 'file'])
      .meta({ description: '`explanation`: the `reason`. `file`: what an operator ended the payout by.' }),
    sha256: z.string().nullable().meta({ description: 'Of a file, in hexadecimal digits.' }),
    actor,
    at: shown.time("When it was given, in the book's own time."),
  })
  .meta({ id: 'ExceptionEvidence', description: 'What shows that an exception is settled.' });

const waiting = z
  .object({
    account: shown.id('account', 'Where it waits.'),
    amount: shown.money("How much, in the currency's smallest unit."),
    currency: shown.currencyShown,
    currency_exponent: shown.currencyExponent,
  })
  .meta({ id: 'WaitingMoney', description: 'Money that waits in an account until somebody moves it.' });

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
    status: z.enum(EXCEPTION_STATUSES).meta({
      description: '`approved` is its end. Before it, a person looks at it, and explains it or moves its money.',
    }),
    assignee: shown.id('person', 'Who looks at it.').nullable(),
    reason: z
      .string()
      .nullable()
      .meta({ description: 'The last explanation. Null where there is none, and once erased.' }),
    evidence: z.array(evidence).meta({ description: 'What shows that it is settled: at most one of each type.' }),
    handled_by: shown
      .orNull(actor)
      .meta({ description: 'Who explained it, or moved its money. Somebody else approves.' }),
    approved_by: shown.orNull(actor).meta({ description: 'The second person.' }),
    journal_entries: shown.entries('The entries that put it right.'),
    allowed_actions: shown.allowedActions<ExceptionAction>('assign', 'explain', 'move_to', 'approve'),
    version: shown.version,
    created_at: shown.createdAt,
    updated_at: shown.updatedAt,
    resolved_at: shown.time('When it was approved.').nullable(),
  })
  .meta({
    id: 'Exception',
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

import { z } from 'zod';
import { instant } from '../../../api/pages.ts';
import { orAll } from '../../../api/schemas/amount.ts';
import { reference } from '../../../api/schemas/fields.ts';
import * as shown from '../../../api/schemas/shown.ts';
import { controlsRequest } from '../../../cards/controls/api/controls-schemas.ts';
import { ruleResult } from '../../purchase/api/transaction-schemas.ts';

export const backtestControls = z
  .strictObject({
    controls: controlsRequest,
    card: reference('card', 'In place of the controls of this card, or of those before it in its line.').optional(),
    account: reference('account', 'In place of the controls of this account.').optional(),
    program: z.literal(true).optional().meta({ type: 'boolean', description: "In place of the program's controls." }),
    from: instant.meta({
      description: "Requests decided then or later, in the book's own time.",
      example: '2026-03-01T00:00:00Z',
    }),
    to: instant.meta({ description: 'Requests decided before then.', example: '2026-04-01T00:00:00Z' }),
    as_of_sequence: orAll(
      z.int().min(0),
      'What an answer said, to read its other pages. Without it, all events of the book so far.',
    ),
  })
  .meta({ id: 'BacktestControls' });

export const backtestExample = {
  controls: { limits: [{ window: 'day', amount: 50_000 }], mcc: { block: ['7995'] } },
  card: 'card_01k5c2r3v8e9m0x6y7z4a1b2cd',
  from: '2026-03-01T00:00:00Z',
  to: '2026-04-01T00:00:00Z',
};

const outcome = z
  .object({
    decision: shown.oneOf(['approved', 'declined'], { description: '`approved` if one of its requests is.' }),
    approved_amount: shown.money('Of all its requests, increments included. Minor units.'),
  })
  .meta({ id: 'BacktestOutcome', description: 'How the requests of the transaction come out.' });

const changedTransaction = z
  .object({
    transaction: shown.id('transaction'),
    was: outcome,
    would_be: outcome,
    rule: shown.orNull(ruleResult).meta({
      description:
        'What makes the difference: the rule that would fail, or of the controls then, the one that failed. Null where it is not known.',
    }),
  })
  .meta({ id: 'BacktestChange', description: 'A transaction that would have come out differently.' });

export const backtest = z
  .object({
    object: z.literal('backtest'),
    livemode: shown.livemode,
    as_of_sequence: shown.count('The last event of the book that was taken into account.'),
    balances: shown.oneOf(['as_decided'], {
      description:
        'What else decided: `as_decided`, funds and every rule but those of the controls as they were decided then. Money that would not have been spent is not there for later purchases.',
    }),
    transactions: shown.count('Transactions with a request in the time.'),
    approved: shown.count('How many of them were approved.'),
    would_approve: shown.count('How many of them would have been.'),
    changed: shown.count('How many would have come out differently, or with another amount.'),
    data: z.array(changedTransaction).meta({ description: 'Those that would have, oldest first.' }),
    has_more: z.boolean().meta({ description: 'Whether more follow.' }),
    next_cursor: z
      .string()
      .nullable()
      .meta({ description: 'For `starting_after`, with `as_of_sequence` of this answer.' }),
  })
  .meta({ id: 'Backtest', description: 'How past transactions would have come out under other controls.' });

/** Schemas of a book's approval policy. */
import { z } from 'zod';
import { amountOrZero } from '../../../api/schemas/amount.ts';
import { currency } from '../../../api/schemas/fields.ts';
import * as shown from '../../../api/schemas/shown.ts';
import type { ApprovalPolicy } from '../approval-policy.ts';

const RULES_MAX = 200;
const RAILS_MAX = 50;

const alwaysText = 'Every payout waits for an approval, whatever its amount.';
const aboveText =
  'Payouts of more than an amount wait for an approval. A currency may have several rules: of those that a payout exceeds, the one with the most people counts.';
const newPayeesText =
  'Payouts to a destination to which none was approved yet wait. One that is no saved payee is always new, an account of the book never is.';
const railsText = 'Payouts that these rails carry wait for an approval; `book` carries transfers within the book.';

export const proposePolicy = z
  .strictObject({
    always: z.boolean().optional().meta({ description: alwaysText }),
    above: z
      .array(
        z
          .strictObject({
            currency,
            amount: amountOrZero,
            approvals: z.int().min(1).max(2).optional().meta({ description: 'By how many people; 1 without it.' }),
          })
          .meta({ id: 'ApprovalAmountRequest' }),
      )
      .max(RULES_MAX)
      .optional()
      .meta({ description: aboveText }),
    new_payees: z.boolean().optional().meta({ description: newPayeesText }),
    rails: z.array(z.string().min(1).max(64)).max(RAILS_MAX).optional().meta({ description: railsText }),
  })
  .meta({
    id: 'ProposeApprovalPolicy',
    description: 'A member that is given takes the place of what was there, whole.',
  });

export const proposePolicyExample = { above: [{ currency: 'JOD', amount: 5_000_000, approvals: 2 }], new_payees: true };

export const judgePolicy = z
  .strictObject({ version: z.int().min(1).meta({ description: 'The version that the person has looked at.' }) })
  .meta({ id: 'JudgeApprovalPolicy' });

const rules = {
  always: z.boolean().meta({ description: alwaysText }),
  above: z
    .array(
      z
        .object({
          currency: shown.currencyShown,
          currency_exponent: shown.currencyExponent,
          amount: shown.money('Payouts of more wait.'),
          approvals: shown.count('By how many people.'),
        })
        .meta({ id: 'ApprovalAmount' }),
    )
    .meta({ description: aboveText }),
  new_payees: z.boolean().meta({ description: newPayeesText }),
  rails: z.array(z.string()).meta({ description: railsText }),
};

export const policy = z
  .object({
    id: shown.id('book', 'The book: it has one policy.'),
    object: z.literal('approval_policy'),
    livemode: shown.livemode,
    ...rules,
    pending: shown
      .orNull(
        z
          .object({
            ...rules,
            proposed_by: z
              .string()
              .meta({ description: 'The person who proposed it.', example: 'person_01k5c2r3v8e9m0x6y7z4a1b2cd' }),
            proposed_at: shown.time("When, in the book's own time."),
          })
          .meta({ id: 'ProposedApprovalPolicy' }),
      )
      .meta({ description: 'A proposed policy, until another person approves or rejects it; null without one.' }),
    allowed_actions: shown.allowedActions<'approve' | 'reject'>('approve', 'reject'),
    version: shown.version,
    updated_at: shown.updatedAt.nullable().meta({ description: 'Null until somebody has proposed a change.' }),
  })
  .meta({ id: 'ApprovalPolicy', description: 'Which payouts of a book wait for people.' });

/** What the request would change. */
export function changeOf({ always, above, new_payees: newPayees, rails }: z.output<typeof proposePolicy>): {
  readonly [Member in keyof ApprovalPolicy]?: ApprovalPolicy[Member] | undefined;
} {
  const rulesAbove = above?.map(({ currency: of, amount, approvals }) => ({
    currency: of,
    amount,
    approvals: approvals === 2 ? (2 as const) : (1 as const),
  }));
  return { always, above: rulesAbove, newPayees, rails };
}
